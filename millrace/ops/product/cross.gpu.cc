#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(Cross, Gpu){kOnHostIfAsked};

}  // namespace millrace::ops
