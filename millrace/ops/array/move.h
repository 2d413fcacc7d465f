// Moves elements of any type. Element sizes, strides and sharding are handled
// here only, so that kernels merely say where each element goes.
#pragma once

#include <cstdint>

#include "absl/types/span.h"
#include "millrace/kernel/kernel_context.h"
#include "millrace/tensor/tensor.h"

namespace millrace::ops {

// Describes a copy: for all indices i below `dims`, element dst_offset +
// sum(i[d] * dst_strides[d]) of the destination becomes element src_offset +
// sum(i[d] * src_strides[d]) of the source. Strides are in elements; those of
// the source may be 0 or negative. No two indices may map to the same
// destination.
struct StridedCopySpec {
  DimVector dims;
  DimVector src_strides;
  DimVector dst_strides;
  int64_t src_offset = 0;
  int64_t dst_offset = 0;

  void Add(int64_t dim, int64_t src_stride, int64_t dst_stride) {
    dims.push_back(dim);
    src_strides.push_back(src_stride);
    dst_strides.push_back(dst_stride);
  }
};

// Removes dimensions of size 1 and merges neighbouring dimensions that are
// contiguous; at least one is left. Returns false if there is nothing to copy.
bool Simplify(StridedCopySpec& spec);

// Copies as `spec` says, sharded over threads. Requires: every index lies
// inside both buffers, and the destination's elements are constructed. Returns
// CANCELLED as ParallelFor does.
Status StridedCopy(KernelContext& ctx, DataType type, const char* src,
                   char* dst, const StridedCopySpec& spec);

// Copies `count` elements from src[src_begin] to dst[dst_begin] on the calling
// thread.
void CopyElements(DataType type, const char* src, int64_t src_begin, char* dst,
                  int64_t dst_begin, int64_t count);

// Sets `count` elements from dst[begin] on to *value (one element of the type)
// on the calling thread.
void FillElements(DataType type, char* dst, int64_t begin, int64_t count,
                  const char* value);
// Sets all elements of the tensor to *value, sharded over threads.
Status FillTensor(KernelContext& ctx, Tensor* t, const char* value);
// Sets all elements to zero, also on the kernel's device; strings, resources
// and variants stay as they were allocated.
Status ZeroTensor(KernelContext& ctx, Tensor* t);

// Returns a scalar of the type whose element is zero (false, empty).
Tensor ZeroElement(DataType type);

// Returns the strides of a dense row-major array, in elements.
DimVector RowMajorStrides(absl::Span<const int64_t> dims);

// Estimates the nanoseconds to move `count` elements in one piece.
int64_t MoveCost(DataType type, int64_t count);

// Sets `out` to rows [begin, end) of dimension 0, sharing the buffer, and
// returns true; returns false if the rows would not keep the alignment of
// buffers. A view is sliced where TensorFlow's slices share memory: if all rows
// are aligned or, for a vector, if both ends are.
bool ShareRows(const Tensor& t, int64_t begin, int64_t end, Tensor* out);

// The rows that a kernel reads which needs `count` rows of dimension 0 from
// `begin` on (count > 0): the whole tensor or, if it is a view, these rows
// alone, bound.
struct ReadRows {
  Tensor rows;
  int64_t first = 0;  // index in the tensor of the first row of `rows`
};
StatusOr<ReadRows> ReadRowsOf(KernelContext& ctx, const Tensor& t,
                              int64_t begin, int64_t count);

// Splits a flat index into coordinates of an array of `dims`.
DimVector Coordinates(int64_t place, absl::Span<const int64_t> dims);
// Returns the coordinates of a flat index for messages, such as "[1,0]"; "" for
// a scalar.
std::string PlaceText(int64_t place, const TensorShape& shape);

}  // namespace millrace::ops
