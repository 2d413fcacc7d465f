#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(UnwrapDatasetVariant, Gpu){kOnHostIfAsked};
MR_KERNELS(WrapDatasetVariant, Gpu){kOnHostIfAsked};

}  // namespace millrace::ops
