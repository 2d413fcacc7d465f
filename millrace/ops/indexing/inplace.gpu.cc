#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(InplaceAdd, Gpu){kOnHostIfAsked};
MR_KERNELS(InplaceSub, Gpu){kOnHostIfAsked};
MR_KERNELS(InplaceUpdate, Gpu){kOnHostIfAsked};

}  // namespace millrace::ops
