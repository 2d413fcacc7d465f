// Kernels of not, and, or on GPUs.
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/elementwise/elementwise.gpu.h"

MR_GPU_SOURCE(elementwise_logical);

namespace millrace::ops {
namespace {

constexpr KernelEntry kGpuLogical =
    GpuElementwise<OpText<MR_GPU_SOURCE_OF(elementwise_logical)>>("");

}  // namespace

MR_KERNELS(LogicalNot, Gpu){kGpuLogical};
MR_KERNELS(LogicalAnd, Gpu){kGpuLogical};
MR_KERNELS(LogicalOr, Gpu){kGpuLogical};

}  // namespace millrace::ops
