#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/mover.gpu.h"
#include "millrace/ops/indexing/plans/move_kernels.h"

namespace millrace::ops {

MR_KERNELS(StridedSlice, Gpu){
    {.types = "T: " MR_GPU_TYPES,
     .make = MakeOnGpu<StridedSliceKernel>,
     .host = "begin, end, strides",
     .views = "input"},
    {.types = "T: int32", .make = OnHost, .host = "*"}};
MR_KERNELS(StridedSliceGrad, Gpu){
    {.types = "T: " MR_GPU_TYPES,
     .make = MakeOnGpu<StridedSliceGradKernel>,
     .host = "shape, begin, end, strides"},
    {.types = "T: int32", .make = OnHost, .host = "*"}};

}  // namespace millrace::ops
