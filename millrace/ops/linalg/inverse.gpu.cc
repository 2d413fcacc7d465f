#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(MatrixInverse, Gpu){kOnHostIfAsked};

}  // namespace millrace::ops
