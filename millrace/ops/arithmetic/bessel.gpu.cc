// Kernels of modified Bessel functions on GPUs.
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/elementwise/elementwise.gpu.h"

MR_GPU_SOURCE(arithmetic_unary);
MR_GPU_SOURCE(arithmetic_special_functions_shared);
MR_GPU_SOURCE(arithmetic_gamma_slope_shared);
MR_GPU_SOURCE(arithmetic_special);

namespace millrace::ops {
namespace {

constexpr KernelEntry kGpuBessel = GpuElementwise<
    SlowOpText<MR_GPU_SOURCE_OF(arithmetic_unary),
               MR_GPU_SOURCE_OF(arithmetic_special_functions_shared),
               MR_GPU_SOURCE_OF(arithmetic_gamma_slope_shared),
               MR_GPU_SOURCE_OF(arithmetic_special)>>("T: half, float, double");

}  // namespace

MR_KERNELS(BesselI0e, Gpu){kGpuBessel};
MR_KERNELS(BesselI1e, Gpu){kGpuBessel};

}  // namespace millrace::ops
