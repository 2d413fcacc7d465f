#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(BlockLSTM, Gpu){kOnHostIfAsked};
MR_KERNELS(BlockLSTMGrad, Gpu){kOnHostIfAsked};
MR_KERNELS(BlockLSTMGradV2, Gpu){kOnHostIfAsked};
MR_KERNELS(BlockLSTMV2, Gpu){kOnHostIfAsked};

}  // namespace millrace::ops
