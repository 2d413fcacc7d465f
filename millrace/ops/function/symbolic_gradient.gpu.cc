#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(SymbolicGradient, Gpu){{.make = OnHost, .host = "int32"}};

}  // namespace millrace::ops
