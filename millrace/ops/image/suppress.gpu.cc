#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(NonMaxSuppressionV2, Gpu){kOnHostIfAsked};
MR_KERNELS(NonMaxSuppressionV3, Gpu){kOnHostIfAsked};
MR_KERNELS(NonMaxSuppressionV4, Gpu){kOnHostIfAsked};

}  // namespace millrace::ops
