#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/mover.gpu.h"
#include "millrace/ops/layout/move_kernels.h"

namespace millrace::ops {

MR_KERNELS(ConcatV2, Gpu){
    {.types = "T: " MR_GPU_TYPES,
     .make = MakeOnGpu<MoveBy<RunConcatV2>, GpuMoves{.rows = true}>,
     .host = "axis"},
    {.types = "T: int32", .make = OnHost, .host = "*"}};
MR_KERNELS(Concat, Gpu){
    {.types = "T: " MR_GPU_TYPES,
     .make = MakeOnGpu<MoveBy<RunConcat>, GpuMoves{.rows = true}>,
     .host = "concat_dim"},
    {.types = "T: int32", .make = OnHost, .host = "*"}};
MR_KERNELS(ConcatOffset, Gpu){{.make = OnHost, .host = "*"}};

}  // namespace millrace::ops
