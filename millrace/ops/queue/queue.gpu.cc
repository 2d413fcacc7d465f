#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(FIFOQueueV2, Gpu){kOnHostIfAsked};
MR_KERNELS(QueueCloseV2, Gpu){kOnHostIfAsked};
MR_KERNELS(QueueDequeueV2, Gpu){kOnHostIfAsked};
MR_KERNELS(QueueEnqueueV2, Gpu){kOnHostIfAsked};
MR_KERNELS(QueueIsClosedV2, Gpu){kOnHostIfAsked};
MR_KERNELS(QueueSizeV2, Gpu){kOnHostIfAsked};

}  // namespace millrace::ops
