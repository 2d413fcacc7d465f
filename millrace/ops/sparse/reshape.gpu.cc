#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(SparseReshape, Gpu){kOnHostIfAsked};

}  // namespace millrace::ops
