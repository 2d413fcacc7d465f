#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(LowerBound, Gpu){kOnHostIfAsked};
MR_KERNELS(UpperBound, Gpu){kOnHostIfAsked};

}  // namespace millrace::ops
