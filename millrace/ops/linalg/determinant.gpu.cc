#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(LogMatrixDeterminant, Gpu){kOnHostIfAsked};
MR_KERNELS(MatrixDeterminant, Gpu){kOnHostIfAsked};

}  // namespace millrace::ops
