// Arguments and results of calls lie where their type does
// (exec/memory_spaces.h).
#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(_Arg, Gpu){{.make = OnHost, .host = "int32"}};
MR_KERNELS(_Retval, Gpu){{.make = OnHost, .host = "int32"}};
MR_KERNELS(PartitionedCall, Gpu){{.make = OnHost, .host = "int32"}};
MR_KERNELS(StatefulPartitionedCall, Gpu){{.make = OnHost, .host = "int32"}};

}  // namespace millrace::ops
