#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(BatchMatrixTriangularSolve, Gpu){kOnHostIfAsked};
MR_KERNELS(MatrixSolve, Gpu){kOnHostIfAsked};
MR_KERNELS(MatrixTriangularSolve, Gpu){kOnHostIfAsked};

}  // namespace millrace::ops
