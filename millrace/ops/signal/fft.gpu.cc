#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(FFT, Gpu){kOnHostIfAsked};
MR_KERNELS(FFT2D, Gpu){kOnHostIfAsked};
MR_KERNELS(FFT3D, Gpu){kOnHostIfAsked};
MR_KERNELS(IFFT, Gpu){kOnHostIfAsked};
MR_KERNELS(IFFT2D, Gpu){kOnHostIfAsked};
MR_KERNELS(IFFT3D, Gpu){kOnHostIfAsked};
MR_KERNELS(IRFFT, Gpu){kOnHostIfAsked};
MR_KERNELS(IRFFT2D, Gpu){kOnHostIfAsked};
MR_KERNELS(IRFFT3D, Gpu){kOnHostIfAsked};
MR_KERNELS(RFFT, Gpu){kOnHostIfAsked};
MR_KERNELS(RFFT2D, Gpu){kOnHostIfAsked};
MR_KERNELS(RFFT3D, Gpu){kOnHostIfAsked};

}  // namespace millrace::ops
