#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(Lu, Gpu){kOnHostIfAsked};

}  // namespace millrace::ops
