#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(IteratorFromStringHandleV2, Gpu){kOnHostIfAsked};
MR_KERNELS(IteratorToStringHandle, Gpu){kOnHostIfAsked};

}  // namespace millrace::ops
