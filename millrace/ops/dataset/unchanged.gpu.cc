#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(FinalizeDataset, Gpu){kOnHostIfAsked};
MR_KERNELS(OptionsDataset, Gpu){kOnHostIfAsked};

}  // namespace millrace::ops
