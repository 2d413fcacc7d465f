#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(DummyIterationCounter, Gpu){kOnHostIfAsked};

}  // namespace millrace::ops
