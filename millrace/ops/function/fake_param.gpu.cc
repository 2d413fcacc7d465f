#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(FakeParam, Gpu){{.make = OnHost, .host = "int32"}};

}  // namespace millrace::ops
