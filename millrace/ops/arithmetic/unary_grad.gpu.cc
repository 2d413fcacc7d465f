// Kernels of gradients of unary ops on GPUs.
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/elementwise/elementwise.gpu.h"

MR_GPU_SOURCE(arithmetic_unary_grad);

namespace millrace::ops {
namespace {

constexpr KernelEntry kGpuUnaryGrad =
    GpuElementwise<SameShapeText<MR_GPU_SOURCE_OF(arithmetic_unary_grad)>,
                   GpuOperands::kSameSize>(
        "T: half, bfloat16, float, double, complex64, complex128");

}  // namespace

MR_KERNELS(SigmoidGrad, Gpu){kGpuUnaryGrad};
MR_KERNELS(TanhGrad, Gpu){kGpuUnaryGrad};
MR_KERNELS(SqrtGrad, Gpu){kGpuUnaryGrad};
MR_KERNELS(RsqrtGrad, Gpu){kGpuUnaryGrad};
MR_KERNELS(ReciprocalGrad, Gpu){kGpuUnaryGrad};
MR_KERNELS(InvGrad, Gpu){kGpuUnaryGrad};

}  // namespace millrace::ops
