#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(ParameterizedTruncatedNormal, Gpu){kOnHostIfAsked};

}  // namespace millrace::ops
