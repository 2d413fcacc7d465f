#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(PrefetchDataset, Gpu){kOnHostIfAsked};

}  // namespace millrace::ops
