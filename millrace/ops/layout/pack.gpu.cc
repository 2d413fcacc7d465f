#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/mover.gpu.h"
#include "millrace/ops/layout/move_kernels.h"

namespace millrace::ops {

MR_KERNELS(Pack, Gpu){{.types = "T: " MR_GPU_TYPES,
                       .make = MakeOnGpu<PackKernel, GpuMoves{.rows = true}>,
                       .views = "values"},
                      {.types = "T: int32", .make = OnHost, .host = "*"}};
MR_KERNELS(Unpack, Gpu){
    {.types = "T: " MR_GPU_TYPES,
     .make = MakeOnGpu<UnpackKernel, GpuMoves{.rows = true}>,
     .views = "value"},
    {.types = "T: int32", .make = OnHost, .host = "*"}};

}  // namespace millrace::ops
