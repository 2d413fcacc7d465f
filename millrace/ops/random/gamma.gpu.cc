// Kernel of the derivative of samples of a gamma distribution on GPUs.
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/elementwise/elementwise.gpu.h"

MR_GPU_SOURCE(arithmetic_unary);
MR_GPU_SOURCE(arithmetic_special_functions_shared);
MR_GPU_SOURCE(arithmetic_gamma_slope_shared);
MR_GPU_SOURCE(arithmetic_special);

namespace millrace::ops {

MR_KERNELS(RandomGammaGrad, Gpu){GpuElementwise<
    SlowOpText<MR_GPU_SOURCE_OF(arithmetic_unary),
               MR_GPU_SOURCE_OF(arithmetic_special_functions_shared),
               MR_GPU_SOURCE_OF(arithmetic_gamma_slope_shared),
               MR_GPU_SOURCE_OF(arithmetic_special)>>("")};

}  // namespace millrace::ops
