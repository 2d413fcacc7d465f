#include <vector>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/mover.gpu.h"
#include "millrace/ops/layout/move_kernels.h"
#include "millrace/ops/reduction/reduce.gpu.h"

namespace millrace::ops {
namespace {

// Sums over the numbers of tiles.
class TileGradGpu {
 public:
  static StatusOr<TileGradGpu> Make(const KernelInit& init) {
    TileGradGpu k;
    MR_ASSIGN_OR_RETURN(
        k.reducer_,
        GpuReducer::Make(init, RemoveRef(init.input_type(0)), "AddOf"));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& in = ctx.input(0);
    MR_ASSIGN_OR_RETURN(const TileGradPlan plan,
                        PlanTileGrad(in, ctx.input(1)));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, plan.shape));
    std::vector<bool> reduced;
    for (size_t i = 0; i < plan.by_tile.size(); ++i) {
      reduced.push_back(i % 2 == 0);
    }
    return reducer_.Reduce(ctx, in.Reshaped(TensorShape(plan.by_tile)), reduced,
                           out);
  }

 private:
  GpuReducer reducer_;
};

}  // namespace

MR_KERNELS(Tile, Gpu){{.types = "T: " MR_GPU_TYPES ", int32",
                       .make = MakeOnGpu<MoveBy<RunTile>>,
                       .host = "multiples",
                       .views = "input"}};
MR_KERNELS(BroadcastTo, Gpu){
    {.types = "T: " MR_GPU_TYPES,
     .make = MakeOnGpu<MoveBy<RunBroadcastTo>>,
     .host = "shape",
     .views = "input"},
    {.types = "T: int32", .make = OnHost, .host = "*"}};

MR_KERNELS(TileGrad, Gpu){
    {.types =
         "T: float, double, half, bfloat16, int16, int32, int64, complex64, "
         "complex128",
     .make = MakeKernel<TileGradGpu>,
     .host = "multiples"}};

}  // namespace millrace::ops
