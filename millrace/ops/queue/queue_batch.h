// Tuples of a queue: batches cut into tuples, and tuples joined to batches.
#pragma once

#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "millrace/tensor/tensor.h"

namespace millrace::ops {

// The components of one element, or of a batch of them.
using QueueTuple = absl::InlinedVector<Tensor, 1>;

// Contiguous elements: one tuple, or rows [begin, end) of a batch.
struct QueueRun {
  QueueTuple parts;
  int64_t begin = 0;
  int64_t end = -1;  // -1: `parts` is one element

  bool single() const { return end < 0; }
  int64_t size() const { return single() ? 1 : end - begin; }
};

// Returns a shape with [rows] in front, or INVALID_ARGUMENT if it is too large.
StatusOr<TensorShape> WithRows(int64_t rows, const TensorShape& shape);

// Returns a copy of one row of `batch`, without dimension 0.
StatusOr<Tensor> CopyRow(const Tensor& batch, int64_t row,
                         Allocator* allocator);

// Returns the one element of a run of size 1.
StatusOr<QueueTuple> ToElement(QueueRun run, Allocator* allocator);

// kZeros: elements smaller than the largest in a dimension are padded with
// zeros (empty strings). kNone: all elements have the same shape.
enum class Padding { kNone, kZeros };

// Returns all elements of the runs, `rows` in total (at least one), as a batch.
// A run that is a whole batch is passed on as it is. Returns RESOURCE_EXHAUSTED
// if memory runs out.
StatusOr<QueueTuple> ToBatch(absl::Span<const QueueRun> runs, int64_t rows,
                             Padding padding, Allocator* allocator);

}  // namespace millrace::ops
