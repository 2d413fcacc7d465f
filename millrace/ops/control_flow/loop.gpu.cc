// The condition of a loop is read on the host; all else passes through where it
// lies.
#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(Enter, Gpu){{.make = OnHost, .host = "int32"}};
MR_KERNELS(RefEnter, Gpu){{.make = OnHost, .host = "int32"}};
MR_KERNELS(Exit, Gpu){{.make = OnHost, .host = "int32"}};
MR_KERNELS(RefExit, Gpu){{.make = OnHost, .host = "int32"}};
MR_KERNELS(NextIteration, Gpu){{.make = OnHost, .host = "int32"}};
MR_KERNELS(RefNextIteration, Gpu){{.make = OnHost, .host = "int32"}};
MR_KERNELS(LoopCond, Gpu){{.make = OnHost, .host = "*"}};

}  // namespace millrace::ops
