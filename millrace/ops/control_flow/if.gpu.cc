#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(StatelessIf, Gpu){{.make = OnHost, .host = "cond, int32"}};
MR_KERNELS(If, Gpu){{.make = OnHost, .host = "cond, int32"}};

}  // namespace millrace::ops
