#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(LSTMBlockCell, Gpu){kOnHostIfAsked};
MR_KERNELS(LSTMBlockCellGrad, Gpu){kOnHostIfAsked};

}  // namespace millrace::ops
