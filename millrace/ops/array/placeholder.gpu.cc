#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(Placeholder, Gpu){{.make = OnHost, .host = "int32"}};
MR_KERNELS(PlaceholderV2, Gpu){{.make = OnHost, .host = "int32"}};
MR_KERNELS(PlaceholderWithDefault, Gpu){{.make = OnHost, .host = "int32"}};

}  // namespace millrace::ops
