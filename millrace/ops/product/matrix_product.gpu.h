// Matrix products of every number type on GPUs, for MatMul, its batched and
// fused forms, and other kernels.
#pragma once

#include <memory>

#include "millrace/device/cuda/cublaslt.h"
#include "millrace/device/cuda/launch.h"
#include "millrace/ops/product/matrix_problem.h"
#include "millrace/ops/product/tiled_product.gpu.h"

namespace millrace::ops {

// Computes by cuBLASLt, and by our own function integers and what the library
// does not take. half and bfloat16 are added up in float. Each kernel has its
// own; thread-safe.
class GpuMatrixProduct {
 public:
  GpuMatrixProduct() = default;
  explicit GpuMatrixProduct(const KernelInit& init, DataType type,
                            bool conjugate_a = false, bool conjugate_b = false)
      : tiled_(init, type, conjugate_a, conjugate_b) {}

  // Enqueues c = op(a) op(b). Requires: all three sizes and `batches` are at
  // least 1; p's conjugations and type are those of this.
  Status Run(KernelContext& ctx, const MatrixProblem& p, GpuPointer a,
             GpuPointer b, GpuPointer c) const;

  // Does the same for any sizes: sets c to zeros where there is nothing to add
  // up.
  Status RunOrZero(KernelContext& ctx, const MatrixProblem& p, GpuPointer a,
                   GpuPointer b, GpuPointer c) const;

  // Enqueues a single product with an epilogue. Returns false if nothing was
  // enqueued, since no library computes both together.
  static StatusOr<bool> RunWithEpilogue(KernelContext& ctx,
                                        const MatrixProblem& p, GpuPointer a,
                                        GpuPointer b, GpuPointer c,
                                        const cuda::ProductEpilogue& epilogue);

 private:
  TiledProduct tiled_;
};

}  // namespace millrace::ops
