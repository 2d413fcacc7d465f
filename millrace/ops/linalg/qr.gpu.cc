#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(Qr, Gpu){kOnHostIfAsked};

}  // namespace millrace::ops
