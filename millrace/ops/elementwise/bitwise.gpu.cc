// Kernels of bitwise ops on GPUs, where int32 lies on the device as all others.
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/elementwise/elementwise.gpu.h"

MR_GPU_SOURCE(elementwise_bitwise);

namespace millrace::ops {
namespace {

constexpr KernelEntry kGpuBitwise =
    GpuElementwise<OpText<MR_GPU_SOURCE_OF(elementwise_bitwise)>>("");

}  // namespace

MR_KERNELS(LeftShift, Gpu){kGpuBitwise};
MR_KERNELS(RightShift, Gpu){kGpuBitwise};
MR_KERNELS(BitwiseAnd, Gpu){kGpuBitwise};
MR_KERNELS(BitwiseOr, Gpu){kGpuBitwise};
MR_KERNELS(BitwiseXor, Gpu){kGpuBitwise};
MR_KERNELS(Invert, Gpu){kGpuBitwise};
MR_KERNELS(PopulationCount, Gpu){kGpuBitwise};

}  // namespace millrace::ops
