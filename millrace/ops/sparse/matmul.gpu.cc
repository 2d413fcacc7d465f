#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(SparseTensorDenseMatMul, Gpu){kOnHostIfAsked};

}  // namespace millrace::ops
