#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(StatelessCase, Gpu){{.make = OnHost, .host = "branch_index, int32"}};
MR_KERNELS(Case, Gpu){{.make = OnHost, .host = "branch_index, int32"}};

}  // namespace millrace::ops
