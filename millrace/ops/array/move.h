// Moving elements of any type: the one place that knows element sizes,
// strides and sharding, so that the kernels only say what goes where.
#pragma once

#include <cstdint>

#include "absl/types/span.h"
#include "millrace/kernel/kernel_context.h"
#include "millrace/tensor/tensor.h"

namespace millrace::ops {

// For all indices i below `dims`: element dst_offset + sum(i[d] *
// dst_strides[d]) of the destination becomes element src_offset + sum(i[d] *
// src_strides[d]) of the source. Strides are in elements; those of the source
// may be 0 or negative. Two indices must not name one destination.
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

// Copies as `spec` says, sharded. Every index must lie inside both buffers;
// the destination's elements are constructed. CANCELLED as ParallelFor.
Status StridedCopy(KernelContext& ctx, DataType type, const char* src,
                   char* dst, const StridedCopySpec& spec);

// `count` elements from src[src_begin] to dst[dst_begin], on this thread.
void CopyElements(DataType type, const char* src, int64_t src_begin, char* dst,
                  int64_t dst_begin, int64_t count);

// Sets `count` elements to *value (one element of the type), on this thread.
void FillElements(DataType type, char* dst, int64_t begin, int64_t count,
                  const char* value);
// The whole tensor, sharded.
Status FillTensor(KernelContext& ctx, Tensor* t, const char* value);
// Zeros; strings, resources and variants are left as they were allocated.
Status ZeroTensor(KernelContext& ctx, Tensor* t);

// One element of a type, zero (false, empty).
Tensor ZeroElement(DataType type);

// Strides of a dense row-major array.
DimVector RowMajorStrides(absl::Span<const int64_t> dims);

// Estimated nanoseconds to move `count` elements in one piece.
int64_t MoveCost(DataType type, int64_t count);

// Rows [begin, end) of dimension 0, sharing the buffer where that keeps the
// alignment of buffers, else nothing. Of a view where TensorFlow's slices do:
// where all rows are aligned, and of a vector where both ends are.
bool ShareRows(const Tensor& t, int64_t begin, int64_t end, Tensor* out);

// What a kernel reads that needs `count` rows of dimension 0 from `begin` on
// (count > 0): the whole tensor, or of a view these rows alone, bound.
struct ReadRows {
  Tensor rows;
  int64_t first = 0;  // number of the first one
};
StatusOr<ReadRows> ReadRowsOf(KernelContext& ctx, const Tensor& t,
                              int64_t begin, int64_t count);

// Splits a flat place into coordinates of an array of `dims`.
DimVector Coordinates(int64_t place, absl::Span<const int64_t> dims);
// "[1,0]": the coordinates of a flat place, for messages; "" for a scalar.
std::string PlaceText(int64_t place, const TensorShape& shape);

}  // namespace millrace::ops
