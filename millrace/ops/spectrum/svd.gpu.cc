#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(BatchSvd, Gpu){kOnHostIfAsked};
MR_KERNELS(Svd, Gpu){kOnHostIfAsked};

}  // namespace millrace::ops
