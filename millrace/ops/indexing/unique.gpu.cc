#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

// The indices of sparse gradients are made unique in host memory, where the
// number of the distinct ones is known at once.
MR_KERNELS(Unique,
           Gpu){{.types = "T: int32, int64", .make = OnHost, .host = "*"}};
MR_KERNELS(UniqueV2,
           Gpu){{.types = "T: int32, int64", .make = OnHost, .host = "*"}};
MR_KERNELS(UniqueWithCounts,
           Gpu){{.types = "T: int32, int64", .make = OnHost, .host = "*"}};
MR_KERNELS(UniqueWithCountsV2,
           Gpu){{.types = "T: int32, int64", .make = OnHost, .host = "*"}};
MR_KERNELS(ListDiff, Gpu){{.types = "T: int32", .make = OnHost, .host = "*"}};

}  // namespace millrace::ops
