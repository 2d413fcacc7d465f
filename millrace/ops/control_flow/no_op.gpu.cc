#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(NoOp, Gpu){{.make = OnHost}};
MR_KERNELS(ControlTrigger, Gpu){{.make = OnHost}};

}  // namespace millrace::ops
