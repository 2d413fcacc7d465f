#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(SelfAdjointEigV2, Gpu){kOnHostIfAsked};

}  // namespace millrace::ops
