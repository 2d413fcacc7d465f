#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(Reshape, Gpu){{.make = OnHost, .host = "shape, int32"}};
MR_KERNELS(ExpandDims, Gpu){{.make = OnHost, .host = "dim, int32"}};
MR_KERNELS(Squeeze, Gpu){{.make = OnHost, .host = "int32"}};
MR_KERNELS(EnsureShape, Gpu){{.make = OnHost, .host = "int32"}};
MR_KERNELS(Bitcast, Gpu){{.make = OnHost}};

}  // namespace millrace::ops
