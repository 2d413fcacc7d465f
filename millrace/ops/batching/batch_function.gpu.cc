#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(BatchFunction, Gpu){kOnHostIfAsked};

}  // namespace millrace::ops
