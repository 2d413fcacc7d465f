#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(AnonymousIterator, Gpu){kOnHostIfAsked};
MR_KERNELS(AnonymousIteratorV2, Gpu){kOnHostIfAsked};
MR_KERNELS(AnonymousIteratorV3, Gpu){kOnHostIfAsked};
MR_KERNELS(DeleteIterator, Gpu){kOnHostIfAsked};
MR_KERNELS(IteratorGetNext, Gpu){kOnHostIfAsked};
MR_KERNELS(IteratorGetNextAsOptional, Gpu){kOnHostIfAsked};
MR_KERNELS(IteratorGetNextSync, Gpu){kOnHostIfAsked};
MR_KERNELS(IteratorV2, Gpu){kOnHostIfAsked};
MR_KERNELS(MakeIterator, Gpu){kOnHostIfAsked};

}  // namespace millrace::ops
