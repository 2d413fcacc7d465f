// Kernels of AdjustContrast in both versions on GPUs.
#include "millrace/device/cuda/launch.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/image/colors.h"

MR_GPU_SOURCE(image_pixels_colors_shared);
MR_GPU_SOURCE(image_colors_contrast);

namespace millrace::ops {
namespace {

// The means of pictures and channels.
class GpuMeans {
 public:
  static StatusOr<GpuMeans> Make(const KernelInit& init) {
    GpuMeans m;
    MR_ASSIGN_OR_RETURN(m.sum_, Load(init, "SumPixels"));
    MR_ASSIGN_OR_RETURN(m.join_, Load(init, "JoinMeans"));
    return m;
  }
  static StatusOr<GpuFunction> Load(const KernelInit& init, const char* entry) {
    const GpuSource* const sources[] = {
        &MR_GPU_SOURCE_OF(image_pixels_colors_shared),
        &MR_GPU_SOURCE_OF(image_colors_contrast)};
    return LoadGpuFunction(init, sources, entry,
                           {{"IN", GpuTypeName(init.input_type(0))},
                            {"OUT", GpuTypeName(init.output_type(0))}});
  }

  StatusOr<Tensor> Run(KernelContext& ctx, const Tensor& x,
                       const Pictures& p) const {
    constexpr int64_t kWantedBlocks = 1024, kLeastPixels = 2048;
    const int64_t means = p.count * p.channels;
    const GpuSlices slices =
        CutLines(means, p.pixels, kWantedBlocks, kLeastPixels);
    MR_ASSIGN_OR_RETURN(
        Tensor sums,
        ctx.AllocateTemp(DataType::kDouble,
                         TensorShape({p.count, slices.count, p.channels})));
    MR_ASSIGN_OR_RETURN(
        Tensor joined,
        ctx.AllocateTemp(DataType::kFloat, TensorShape({p.count, p.channels})));
    MR_RETURN_IF_ERROR(LaunchGpu(
        ctx, sum_, GpuGrid{.blocks = means * slices.count, .strided = true},
        GpuInput(x), GpuOutput(sums), means * slices.count, p.pixels,
        p.channels, slices.count, slices.size));
    MR_RETURN_IF_ERROR(LaunchGpu(ctx, join_, GridOver(means), GpuInput(sums),
                                 GpuOutput(joined), means, p.pixels, p.channels,
                                 slices.count));
    return joined;
  }

 private:
  GpuFunction sum_, join_;
};

// The first version has bounds, as inputs 2 and 3.
class GpuContrast {
 public:
  static StatusOr<GpuContrast> Make(const KernelInit& init) {
    GpuContrast k;
    MR_ASSIGN_OR_RETURN(k.means_, GpuMeans::Make(init));
    MR_ASSIGN_OR_RETURN(k.change_, GpuMeans::Load(init, "Contrast"));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    MR_RETURN_IF_ERROR(CheckContrast(ctx));
    const Tensor& x = ctx.input(0);
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, x.shape()));
    const int64_t n = x.num_elements();
    if (n == 0) return OkStatus();
    const Pictures p(x.shape());
    MR_ASSIGN_OR_RETURN(const Tensor means, means_.Run(ctx, x, p));
    GpuPointer least, most;
    if (ctx.num_inputs() > 2) {
      least = GpuInput(ctx.input(2));
      most = GpuInput(ctx.input(3));
    }
    return LaunchGpu(ctx, change_, GridOver(n), GpuInput(x), GpuOutput(*out),
                     GpuInput(means), GpuInput(ctx.input(1)), least, most, n,
                     p.pixels * p.channels, p.channels);
  }

 private:
  GpuMeans means_;
  GpuFunction change_;
};

}  // namespace

MR_KERNELS(AdjustContrast,
           Gpu){{.types = "T: uint8, int8, int16, int32, float, double",
                 .make = MakeKernel<GpuContrast>}};
MR_KERNELS(AdjustContrastv2,
           Gpu){{.types = "T: float, half", .make = MakeKernel<GpuContrast>}};

}  // namespace millrace::ops
