#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(BroadcastGradientArgs, Gpu){{.make = OnHost, .host = "*"}};
MR_KERNELS(BroadcastArgs, Gpu){{.make = OnHost, .host = "*"}};

}  // namespace millrace::ops
