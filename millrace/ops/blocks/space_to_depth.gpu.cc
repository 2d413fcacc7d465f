#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/mover.gpu.h"
#include "millrace/ops/layout/move_kernels.h"

namespace millrace::ops {

MR_KERNELS(SpaceToDepth, Gpu){
    {.types = "T: "
              "float, half, bfloat16, uint8",
     .make = MakeOnGpu<
         DepthKernel<BlockMove::kFromSpace, ImageFormats::kNhwcAndNchw>>}};
MR_KERNELS(DepthToSpace, Gpu){
    {.types = "T: "
              "float, half, bfloat16, uint8",
     .make = MakeOnGpu<
         DepthKernel<BlockMove::kToSpace, ImageFormats::kNhwcAndNchw>>}};

}  // namespace millrace::ops
