// Stacks keep tensors where they lie.
#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(Stack, Gpu){{.make = OnHost, .host = "*"}};
MR_KERNELS(StackV2, Gpu){{.make = OnHost, .host = "*"}};
MR_KERNELS(StackPush, Gpu){{.make = OnHost, .host = "handle, int32"}};
MR_KERNELS(StackPushV2, Gpu){{.make = OnHost, .host = "handle, int32"}};
MR_KERNELS(StackPop, Gpu){{.make = OnHost, .host = "handle, int32"}};
MR_KERNELS(StackPopV2, Gpu){{.make = OnHost, .host = "handle, int32"}};
MR_KERNELS(StackClose, Gpu){{.make = OnHost, .host = "*"}};
MR_KERNELS(StackCloseV2, Gpu){{.make = OnHost, .host = "*"}};

}  // namespace millrace::ops
