// Sparse tensors by themselves, and batches of them: one sparse tensor with a
// dimension more in front.
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

  // What it takes beside the elements of its tensors, which their allocator
  // counts.
  int64_t OwnBytes() const;
};

// What a batch is made of.
struct BatchParts {
  int64_t count = 0;  // with those without entries
  // Those with entries, by their place in the batch, ascending.
  std::vector<std::pair<int64_t, SparsePart>> parts;
  SparsePart empty;     // all others
  MemoryCharge charge;  // of the list of parts
};

// Cuts the sparse tensor in inputs 0 to 2 along dimension 0. INVALID_ARGUMENT
// unless it has more dimensions, and its entries are inside and in row-major
// order, each once; RESOURCE_EXHAUSTED where memory has no room for the parts.
StatusOr<BatchParts> CutBatch(KernelContext& ctx);

// Sets outputs 0 to 2 to the parts, as a batch of the dimensions `batch`, whose
// product is their number; at least one. The other dimensions are the largest.
// INVALID_ARGUMENT if ranks differ.
Status JoinBatch(KernelContext& ctx, absl::Span<const SparsePart> parts,
                 absl::Span<const int64_t> batch);

// The i-th part of a batch is one of values of type `type`. INVALID_ARGUMENT
// "Requested SparseTensor of type ...".
Status CheckValuesType(const SparsePart& part, size_t i, DataType type);
// Its rank is that of the first.
Status CheckRank(const SparsePart& part, size_t i, const SparsePart& first);

}  // namespace millrace::ops
