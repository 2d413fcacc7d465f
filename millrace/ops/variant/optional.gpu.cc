#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(OptionalFromValue, Gpu){kOnHostIfAsked};
MR_KERNELS(OptionalGetValue, Gpu){kOnHostIfAsked};
MR_KERNELS(OptionalHasValue, Gpu){kOnHostIfAsked};
MR_KERNELS(OptionalNone, Gpu){kOnHostIfAsked};

}  // namespace millrace::ops
