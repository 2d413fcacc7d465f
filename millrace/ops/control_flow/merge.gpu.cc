#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(Merge, Gpu){{.make = OnHost, .host = "value_index, int32"}};
MR_KERNELS(RefMerge, Gpu){{.make = OnHost, .host = "value_index, int32"}};

}  // namespace millrace::ops
