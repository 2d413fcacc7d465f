// Kernels of ArgMax and ArgMin. As on CPUs, of equal elements the first is
// taken, NaN never.
#include <algorithm>

#include "millrace/device/cuda/launch.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/reduction/axis_plan.h"

MR_GPU_SOURCE(reduction_arg_reduce);

namespace millrace::ops {
namespace {

template <bool kLargest>
class ArgGpuKernel {
 public:
  static StatusOr<ArgGpuKernel> Make(const KernelInit& init) {
    ArgGpuKernel k;
    const std::vector<GpuDefine> defines = {
        {"T", GpuTypeName(RemoveRef(init.input_type(0)))},
        {"I", GpuTypeName(RemoveRef(init.output_type(0)))},
        {"LARGEST", kLargest ? "1" : "0"}};
    const GpuSource& source = MR_GPU_SOURCE_OF(reduction_arg_reduce);
    MR_ASSIGN_OR_RETURN(k.warps_,
                        LoadGpuFunction(init, source, "LinesOfWarps", defines));
    MR_ASSIGN_OR_RETURN(
        k.blocks_, LoadGpuFunction(init, source, "LinesOfBlocks", defines));
    MR_ASSIGN_OR_RETURN(k.join_,
                        LoadGpuFunction(init, source, "JoinLines", defines));
    MR_ASSIGN_OR_RETURN(k.columns_,
                        LoadGpuFunction(init, source, "Columns", defines));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    MR_ASSIGN_OR_RETURN(const AxisPlan p, PlanArgReduction(x, ctx.input(1)));
    MR_ASSIGN_OR_RETURN(Tensor* const z, ctx.AllocateOutput(0, p.shape));
    const int64_t lines = p.outer * p.inner;
    if (lines == 0) return OkStatus();
    if (p.inner > 1) {
      return LaunchGpu(ctx, columns_, GridOver(lines), GpuInput(x),
                       GpuOutput(*z), p.outer, p.rows, p.inner);
    }
    constexpr int64_t kWarpLine = 1024, kWarps = 8;
    const GpuGrid by_warp{.blocks = (lines + kWarps - 1) / kWarps,
                          .strided = true};
    if (p.rows <= kWarpLine) {
      return LaunchGpu(ctx, warps_, by_warp, GpuInput(x), GpuOutput(*z), lines,
                       p.rows);
    }
    constexpr int64_t kWantedBlocks = 512, kLeastSlice = 4096;
    const int64_t wanted = std::max<int64_t>(
        1, std::min(kWantedBlocks / lines, p.rows / kLeastSlice));
    const int64_t slice = (p.rows + wanted - 1) / wanted;
    const int64_t slices = (p.rows + slice - 1) / slice;
    Tensor partial;
    if (slices > 1) {
      constexpr int64_t kFoundBytes = 16;
      MR_ASSIGN_OR_RETURN(
          partial,
          ctx.AllocateTemp(DataType::kUint8,
                           TensorShape({lines * slices * kFoundBytes})));
    }
    MR_RETURN_IF_ERROR(LaunchGpu(
        ctx, blocks_, GpuGrid{.blocks = lines * slices, .strided = true},
        GpuInput(x), GpuOutput(*z),
        slices > 1 ? GpuInput(partial) : GpuPointer(), lines, p.rows, slices,
        slice));
    if (slices == 1) return OkStatus();
    return LaunchGpu(ctx, join_, by_warp, GpuInput(partial), GpuOutput(*z),
                     lines, slices);
  }

 private:
  GpuFunction warps_, blocks_, join_, columns_;
};

#define MR_ARG_ON_GPU                                                    \
  "T: float, double, half, bfloat16, int8, int16, int32, int64, uint8, " \
  "uint16, uint32, uint64, bool"

}  // namespace

MR_KERNELS(ArgMax, Gpu){{.types = MR_ARG_ON_GPU,
                         .make = MakeKernel<ArgGpuKernel<true>>,
                         .host = "dimension"}};
MR_KERNELS(ArgMin, Gpu){{.types = MR_ARG_ON_GPU,
                         .make = MakeKernel<ArgGpuKernel<false>>,
                         .host = "dimension"}};

}  // namespace millrace::ops
