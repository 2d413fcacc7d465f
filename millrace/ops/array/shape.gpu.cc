#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(Shape, Gpu){{.make = OnHost, .host = "output, int32"}};
MR_KERNELS(ShapeN, Gpu){{.make = OnHost, .host = "output, int32"}};
MR_KERNELS(Size, Gpu){{.make = OnHost, .host = "output, int32"}};
MR_KERNELS(Rank, Gpu){{.make = OnHost, .host = "output, int32"}};

}  // namespace millrace::ops
