#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(BatchNormWithGlobalNormalization, Gpu){kOnHostIfAsked};
MR_KERNELS(BatchNormWithGlobalNormalizationGrad, Gpu){kOnHostIfAsked};

}  // namespace millrace::ops
