#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/mover.gpu.h"
#include "millrace/ops/indexing/plans/move_kernels.h"

namespace millrace::ops {

MR_KERNELS(StridedSliceAssign, Gpu){
    {.types = "T: " MR_GPU_TYPES,
     .make = MakeOnGpu<StridedAssignKernel>,
     .host = "begin, end, strides"},
    {.types = "T: int32", .make = OnHost, .host = "*"}};
MR_KERNELS(ResourceStridedSliceAssign, Gpu){
    {.types = "T: " MR_GPU_TYPES,
     .make = MakeOnGpu<StridedAssignKernel>,
     .host = "ref, begin, end, strides"},
    {.types = "T: int32", .make = OnHost, .host = "*"}};
MR_KERNELS(TensorStridedSliceUpdate, Gpu){
    {.types = "T: " MR_GPU_TYPES,
     .make = MakeOnGpu<StridedAssignKernel>,
     .host = "begin, end, strides"},
    {.types = "T: int32", .make = OnHost, .host = "*"}};

}  // namespace millrace::ops
