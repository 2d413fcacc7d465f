#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(DeserializeSparse, Gpu){kOnHostIfAsked};

}  // namespace millrace::ops
