#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

// Numbers by dimension are few.
MR_KERNELS(DataFormatDimMap, Gpu){{.make = OnHost, .host = "*"}};
MR_KERNELS(DataFormatVecPermute, Gpu){{.make = OnHost, .host = "*"}};

}  // namespace millrace::ops
