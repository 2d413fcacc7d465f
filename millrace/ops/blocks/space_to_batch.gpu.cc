#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/mover.gpu.h"
#include "millrace/ops/layout/move_kernels.h"

namespace millrace::ops {

MR_KERNELS(SpaceToBatch, Gpu){
    {.types = "T: "
              "float, double, half, bfloat16, int64, uint8, int8",
     .make =
         MakeOnGpu<BatchBlocksKernel<BlockMove::kFromSpace, BlockSizes::kAttr>>,
     .host = "paddings"},
    {.types = "T: int32", .make = OnHost, .host = "*"}};
MR_KERNELS(SpaceToBatchND, Gpu){
    {.types = "T: "
              "float, double, half, bfloat16, int64, uint8, int8",
     .make = MakeOnGpu<
         BatchBlocksKernel<BlockMove::kFromSpace, BlockSizes::kInput>>,
     .host = "block_shape, paddings",
     .views = "input"},
    {.types = "T: int32", .make = OnHost, .host = "*"}};
MR_KERNELS(BatchToSpace, Gpu){
    {.types = "T: "
              "float, double, half, bfloat16, int64, uint8, int8",
     .make =
         MakeOnGpu<BatchBlocksKernel<BlockMove::kToSpace, BlockSizes::kAttr>>,
     .host = "crops"},
    {.types = "T: int32", .make = OnHost, .host = "*"}};
MR_KERNELS(BatchToSpaceND, Gpu){
    {.types = "T: "
              "float, double, half, bfloat16, int64, uint8, int8",
     .make =
         MakeOnGpu<BatchBlocksKernel<BlockMove::kToSpace, BlockSizes::kInput>>,
     .host = "block_shape, crops",
     .views = "input"},
    {.types = "T: int32", .make = OnHost, .host = "*"}};

}  // namespace millrace::ops
