#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(EagerPyFunc, Gpu){kOnHostIfAsked};

}  // namespace millrace::ops
