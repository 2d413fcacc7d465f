#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(For, Gpu){{.make = OnHost, .host = "start, limit, delta, int32"}};

}  // namespace millrace::ops
