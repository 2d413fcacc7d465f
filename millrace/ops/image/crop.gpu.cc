#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(CropAndResize, Gpu){kOnHostIfAsked};
MR_KERNELS(CropAndResizeGradBoxes, Gpu){kOnHostIfAsked};
MR_KERNELS(CropAndResizeGradImage, Gpu){kOnHostIfAsked};

}  // namespace millrace::ops
