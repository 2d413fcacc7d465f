#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(ImageProjectiveTransformV2, Gpu){kOnHostIfAsked};
MR_KERNELS(ImageProjectiveTransformV3, Gpu){kOnHostIfAsked};

}  // namespace millrace::ops
