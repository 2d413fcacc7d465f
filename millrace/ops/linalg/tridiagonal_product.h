// The checks of TridiagonalMatMul, the same on any device.
#pragma once

#include "millrace/ops/linalg/batch.h"

namespace millrace::ops {

// Returns the batch of the right sides.
inline StatusOr<MatrixBatch> CheckTridiagonalProduct(const KernelContext& ctx) {
  const Tensor& rhs = ctx.input(3);
  MR_RETURN_IF_ERROR(ReadBatch(ctx.input(0)).status());
  for (int i = 1; i < 4; ++i) {
    if (ctx.input(i).rank() != ctx.input(0).rank()) {
      return InvalidArgument("All input tensors must have the same rank.");
    }
  }
  MR_ASSIGN_OR_RETURN(MatrixBatch r, ReadBatch(rhs));
  MatrixBatch diagonals[3];
  for (int i = 0; i < 3; ++i) {
    MR_ASSIGN_OR_RETURN(diagonals[i], ReadBatch(ctx.input(i)));
    if (diagonals[i].dims != r.dims) {
      return InvalidArgument(
          "All input tensors must have the same outer dimensions.");
    }
  }
  constexpr const char* kNames[] = {"superdiagonal", "main diagonal",
                                    "subdiagonal"};
  for (int i = 0; i < 3; ++i) {
    if (diagonals[i].rows != 1 || diagonals[i].cols != r.rows) {
      return InvalidArgument("Invalid ", kNames[i], " shape.");
    }
  }
  return r;
}

}  // namespace millrace::ops
