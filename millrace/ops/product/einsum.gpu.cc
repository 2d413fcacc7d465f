#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(Einsum, Gpu){kOnHostIfAsked};

}  // namespace millrace::ops
