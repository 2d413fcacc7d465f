// The shapes of a sparse matrix times a dense one.
#pragma once

#include <cstdint>

#include "millrace/kernel/kernel_context.h"

namespace millrace::ops {

// The product, once the shapes are checked.
struct SparseMatMulShape {
  int64_t rows, columns;  // of the result
  int64_t inner;
  int64_t count;  // of a's entries
};

// Checks the inputs of SparseTensorDenseMatMul but for the coordinates.
inline StatusOr<SparseMatMulShape> CheckSparseMatMul(const KernelContext& ctx,
                                                     bool adjoint_a,
                                                     bool adjoint_b) {
  const Tensor& indices = ctx.input(0);
  const Tensor& values = ctx.input(1);
  const Tensor& a_shape = ctx.input(2);
  const Tensor& b = ctx.input(3);
  if (b.rank() != 2) return InvalidArgument("Tensor 'b' is not a matrix");
  if (a_shape.rank() != 1) {
    return InvalidArgument("Tensor 'a_shape' is not a vector");
  }
  if (a_shape.num_elements() != 2) {
    return InvalidArgument("Tensor 'a_shape' must have 2 elements");
  }
  if (values.rank() != 1) {
    return InvalidArgument("Tensor 'a_values' is not a vector");
  }
  if (indices.rank() != 2) {
    return InvalidArgument("Tensor 'a_indices' is not a matrix");
  }
  if (indices.dim(0) != values.num_elements()) {
    return InvalidArgument(
        "Number of rows of a_indices does not match number of entries in "
        "a_values");
  }
  if (indices.dim(1) != 2) {
    return InvalidArgument(
        "Number of columns of a_indices does not match number of entries in "
        "a_shape");
  }
  const auto dims = a_shape.flat<int64_t>();
  for (const int64_t size : dims) {  // no tensor has their product as size
    MR_RETURN_IF_ERROR(TensorShape::Make({size}).status());
  }
  const SparseMatMulShape p{.rows = dims[adjoint_a ? 1 : 0],
                            .columns = b.dim(adjoint_b ? 0 : 1),
                            .inner = dims[adjoint_a ? 0 : 1],
                            .count = values.num_elements()};
  if (p.inner != b.dim(adjoint_b ? 1 : 0)) {
    return InvalidArgument(
        "Cannot multiply A and B because inner dimension does not match: ",
        p.inner, " vs. ", b.dim(adjoint_b ? 1 : 0),
        ".  Did you forget a transpose?  Dimensions of A: [", dims[0], ", ",
        dims[1], ").  Dimensions of B: ", b.shape().DebugString());
  }
  return p;
}

}  // namespace millrace::ops
