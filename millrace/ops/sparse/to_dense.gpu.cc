#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(SparseToDense, Gpu){kOnHostIfAsked};

}  // namespace millrace::ops
