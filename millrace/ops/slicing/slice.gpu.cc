#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/mover.gpu.h"
#include "millrace/ops/indexing/plans/move_kernels.h"

namespace millrace::ops {

MR_KERNELS(Slice, Gpu){{.types = "T: " MR_GPU_TYPES,
                        .make = MakeOnGpu<MoveBy<RunSlice>>,
                        .host = "begin, size",
                        .views = "input"},
                       {.types = "T: int32", .make = OnHost, .host = "*"}};

}  // namespace millrace::ops
