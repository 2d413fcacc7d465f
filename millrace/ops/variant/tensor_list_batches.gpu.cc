#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(TensorListConcatLists, Gpu){kOnHostIfAsked};
MR_KERNELS(TensorListPushBackBatch, Gpu){kOnHostIfAsked};

}  // namespace millrace::ops
