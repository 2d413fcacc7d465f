#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(ReadVariableOp, Gpu){{.make = OnHost, .host = "resource, int32"}};
MR_KERNELS(_ReadVariablesOp, Gpu){{.make = OnHost, .host = "resources, int32"}};

}  // namespace millrace::ops
