#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(RaggedTensorFromVariant, Gpu){kOnHostIfAsked};

}  // namespace millrace::ops
