// Kernels of Relu, Relu6 and their gradients on GPUs.
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/elementwise/elementwise.gpu.h"

MR_GPU_SOURCE(activation_relu);

namespace millrace::ops {
namespace {

constexpr char kGpuReluTypes[] = "T: half, bfloat16, float, double";
constexpr KernelEntry GpuRelu(const char* types) {
  return GpuElementwise<OpText<MR_GPU_SOURCE_OF(activation_relu)>>(types);
}
constexpr KernelEntry kGpuReluGrad =
    GpuElementwise<SameShapeText<MR_GPU_SOURCE_OF(activation_relu)>,
                   GpuOperands::kSameShape>(kGpuReluTypes);

}  // namespace

MR_KERNELS(Relu, Gpu){GpuRelu(
    "T: half, bfloat16, float, double, int8, int16, int64, uint8, uint16, "
    "uint32, uint64")};
MR_KERNELS(Relu6, Gpu){GpuRelu(kGpuReluTypes)};
MR_KERNELS(ReluGrad, Gpu){kGpuReluGrad};
MR_KERNELS(Relu6Grad, Gpu){kGpuReluGrad};

}  // namespace millrace::ops
