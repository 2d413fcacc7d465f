// Kernel of TridiagonalMatMul on GPUs.
#include "millrace/ops/linalg/tridiagonal_product.h"
#include "millrace/device/cuda/launch.h"
#include "millrace/kernel/kernel_decl.h"

MR_GPU_SOURCE(linalg_tridiagonal_product);

namespace millrace::ops {
namespace {

class TridiagonalMatMulGpu {
 public:
  static StatusOr<TridiagonalMatMulGpu> Make(const KernelInit& init) {
    TridiagonalMatMulGpu k;
    MR_ASSIGN_OR_RETURN(
        k.multiply_,
        LoadGpuFunction(init, MR_GPU_SOURCE_OF(linalg_tridiagonal_product),
                        "TridiagonalMatMul",
                        {{"T", GpuTypeName(init.output_type(0))}}));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(const MatrixBatch r, CheckTridiagonalProduct(ctx));
    const Tensor& rhs = ctx.input(3);
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, rhs.shape()));
    return LaunchGpu(ctx, multiply_, GridOver(rhs.num_elements()),
                     GpuInput(ctx.input(0)), GpuInput(ctx.input(1)),
                     GpuInput(ctx.input(2)), GpuInput(rhs), GpuOutput(*out),
                     rhs.num_elements(), r.rows, r.cols);
  }

 private:
  GpuFunction multiply_;
};

}  // namespace

MR_KERNELS(TridiagonalMatMul, Gpu){
    {.types = MR_MATRIX_TYPES, .make = MakeKernel<TridiagonalMatMulGpu>}};

}  // namespace millrace::ops
