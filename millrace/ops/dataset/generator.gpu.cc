#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(GeneratorDataset, Gpu){kOnHostIfAsked};

}  // namespace millrace::ops
