#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(GRUBlockCell, Gpu){kOnHostIfAsked};
MR_KERNELS(GRUBlockCellGrad, Gpu){kOnHostIfAsked};

}  // namespace millrace::ops
