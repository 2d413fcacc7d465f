#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(SparseFillEmptyRows, Gpu){kOnHostIfAsked};
MR_KERNELS(SparseFillEmptyRowsGrad, Gpu){kOnHostIfAsked};

}  // namespace millrace::ops
