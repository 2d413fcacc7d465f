#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(ExtractImagePatches, Gpu){kOnHostIfAsked};
MR_KERNELS(ExtractVolumePatches, Gpu){kOnHostIfAsked};

}  // namespace millrace::ops
