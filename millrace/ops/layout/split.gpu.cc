#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/mover.gpu.h"
#include "millrace/ops/layout/move_kernels.h"

namespace millrace::ops {

MR_KERNELS(Split, Gpu){
    {.types = "T: " MR_GPU_TYPES,
     .make = MakeOnGpu<MoveBy<RunSplit>, GpuMoves{.rows = true}>,
     .host = "split_dim",
     .views = "value"},
    {.types = "T: int32", .make = OnHost, .host = "*"}};
MR_KERNELS(SplitV, Gpu){
    {.types = "T: " MR_GPU_TYPES,
     .make = MakeOnGpu<MoveBy<RunSplitV>, GpuMoves{.rows = true}>,
     .host = "size_splits, split_dim",
     .views = "value"},
    {.types = "T: int32", .make = OnHost, .host = "*"}};

}  // namespace millrace::ops
