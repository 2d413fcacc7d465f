#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(StatelessWhile, Gpu){{.make = OnHost, .host = "int32"}};
MR_KERNELS(While, Gpu){{.make = OnHost, .host = "int32"}};

}  // namespace millrace::ops
