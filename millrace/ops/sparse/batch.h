// Single sparse tensors, and batches of them: a batch is one sparse tensor with
// an additional first dimension.
#pragma once

#include <vector>

#include "millrace/base/memory/memory_charge.h"
#include "millrace/kernel/kernel_context.h"
#include "millrace/ops/sparse/entries.h"

namespace millrace::ops {

struct SparsePart {
  Tensor indices;  // int64, [entries, rank]
  Tensor values;   // [entries]
  DimVector dims;  // [rank]

  // Returns the bytes that it takes beside the elements of its tensors, which
  // their allocator counts.
  int64_t OwnBytes() const;
};

// The parts of a batch.
struct BatchParts {
  int64_t count = 0;  // including parts without entries
  // Parts with entries, by their index in the batch, in ascending order.
  std::vector<std::pair<int64_t, SparsePart>> parts;
  SparsePart empty;     // all other parts
  MemoryCharge charge;  // for the list of parts
};

// Cuts the sparse tensor in inputs 0 to 2 along dimension 0. Returns
// INVALID_ARGUMENT unless it has more dimensions, and its entries are in
// bounds, in row-major order and unique; RESOURCE_EXHAUSTED if there is no
// memory for the parts. `words` are those of errors about numbers of rows and
// columns.
StatusOr<BatchParts> CutBatch(KernelContext& ctx, SizeWords words);

// How an error tells ranks: as those of the joined tensor, which has one
// dimension more than its parts, or as those of the parts.
enum class RankWords { kOfJoined, kOfParts };

// Sets outputs 0 to 2 to the parts, as a batch of the dimensions `batch`, whose
// product is the number of parts, at least one. The other dimensions are the
// largest. Returns INVALID_ARGUMENT, in these words, if ranks differ.
Status JoinBatch(KernelContext& ctx, absl::Span<const SparsePart> parts,
                 absl::Span<const int64_t> batch, RankWords words);

// Returns INVALID_ARGUMENT "Requested SparseTensor of type ..." unless the i-th
// part of a batch has values of type `type`.
Status CheckValuesType(const SparsePart& part, size_t i, DataType type);
// Returns an error in these words unless the part has the rank of the first
// one.
Status CheckRank(const SparsePart& part, size_t i, const SparsePart& first,
                 RankWords words);

}  // namespace millrace::ops
