#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(SparseConcat, Gpu){kOnHostIfAsked};
MR_KERNELS(SparseSlice, Gpu){kOnHostIfAsked};
MR_KERNELS(SparseSliceGrad, Gpu){kOnHostIfAsked};
MR_KERNELS(SparseSplit, Gpu){kOnHostIfAsked};

}  // namespace millrace::ops
