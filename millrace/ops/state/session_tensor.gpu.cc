#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(DeleteSessionTensor, Gpu){kOnHostIfAsked};
MR_KERNELS(GetSessionHandle, Gpu){kOnHostIfAsked};
MR_KERNELS(GetSessionHandleV2, Gpu){kOnHostIfAsked};
MR_KERNELS(GetSessionTensor, Gpu){kOnHostIfAsked};

}  // namespace millrace::ops
