#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(ConsumeMutexLock, Gpu){kOnHostIfAsked};
MR_KERNELS(MutexLock, Gpu){kOnHostIfAsked};
MR_KERNELS(MutexV2, Gpu){kOnHostIfAsked};

}  // namespace millrace::ops
