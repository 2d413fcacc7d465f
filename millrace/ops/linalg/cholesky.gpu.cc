#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(Cholesky, Gpu){kOnHostIfAsked};

}  // namespace millrace::ops
