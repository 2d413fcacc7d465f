// The other device may be of any kind.
#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(RemoteCall, Gpu){{.make = OnHost, .host = "*"}};

}  // namespace millrace::ops
