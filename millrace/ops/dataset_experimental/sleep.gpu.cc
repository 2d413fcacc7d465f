#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(ExperimentalSleepDataset, Gpu){kOnHostIfAsked};
MR_KERNELS(SleepDataset, Gpu){kOnHostIfAsked};

}  // namespace millrace::ops
