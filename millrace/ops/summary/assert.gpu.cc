#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(Assert, Gpu){kOnHostIfAsked};

}  // namespace millrace::ops
