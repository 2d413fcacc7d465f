// Kernels of ArgMax and ArgMin. As on CPUs, of equal elements the first is
// taken, NaN never.
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
    constexpr int64_t kWarpLine = 1024, kWarps = 8;
    const GpuGrid by_warp{.blocks = (lines + kWarps - 1) / kWarps,
                          .strided = true};
    // A thread has a slice of lines that lie beside each other; of those that
    // are contiguous a warp has a line, or a block a slice.
    const bool by_threads = p.inner > 1;
    if (!by_threads && p.rows <= kWarpLine) {
      return LaunchGpu(ctx, warps_, by_warp, GpuInput(x), GpuOutput(*z), lines,
                       p.rows);
    }
    const GpuSlices cut = by_threads ? CutLines(lines, p.rows, 1 << 15, 64)
                                     : CutLines(lines, p.rows, 512, 4096);
    const int64_t slices = cut.count;
    Tensor partial;
    if (slices > 1) {
      constexpr int64_t kFoundBytes = 16;
      MR_ASSIGN_OR_RETURN(
          partial,
          ctx.AllocateTemp(DataType::kUint8,
                           TensorShape({lines * slices * kFoundBytes})));
    }
    const GpuPointer to = slices > 1 ? GpuOutput(partial) : GpuPointer();
    MR_RETURN_IF_ERROR(
        by_threads
            ? LaunchGpu(ctx, columns_, GridOver(lines * slices), GpuInput(x),
                        GpuOutput(*z), to, lines, p.rows, p.inner, slices,
                        cut.size)
            : LaunchGpu(ctx, blocks_,
                        GpuGrid{.blocks = lines * slices, .strided = true},
                        GpuInput(x), GpuOutput(*z), to, lines, p.rows, slices,
                        cut.size));
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
