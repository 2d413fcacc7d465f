#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(TridiagonalSolve, Gpu){kOnHostIfAsked};

}  // namespace millrace::ops
