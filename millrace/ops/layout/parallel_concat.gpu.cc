#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(ParallelConcat, Gpu){kOnHostIfAsked};

}  // namespace millrace::ops
