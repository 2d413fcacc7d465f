#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(SparseReorder, Gpu){kOnHostIfAsked};

}  // namespace millrace::ops
