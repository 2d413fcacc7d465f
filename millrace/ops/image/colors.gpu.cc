// Kernels that change the colour of each pixel by itself.
#include "millrace/ops/image/colors.h"

#include "millrace/device/cuda/launch.h"
#include "millrace/kernel/kernel_decl.h"

MR_GPU_SOURCE(image_pixels_colors_shared);
MR_GPU_SOURCE(image_colors);

namespace millrace::ops {
namespace {

enum class Recolor { kToHsv, kToRgb, kHue, kSaturation };

template <Recolor kKind>
class RecolorGpu {
 public:
  static StatusOr<RecolorGpu> Make(const KernelInit& init) {
    const GpuSource* const sources[] = {
        &MR_GPU_SOURCE_OF(image_pixels_colors_shared),
        &MR_GPU_SOURCE_OF(image_colors)};
    const char* const change = kKind == Recolor::kToHsv   ? "ToHsvOf"
                               : kKind == Recolor::kToRgb ? "ToRgbOf"
                               : kKind == Recolor::kHue   ? "RotateHue"
                                                          : "Saturate";
    RecolorGpu k;
    MR_ASSIGN_OR_RETURN(k.recolor_,
                        LoadGpuFunction(init, sources, "Recolor",
                                        {{"T", GpuTypeName(init.input_type(0))},
                                         {"CHANGE", change}}));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const TensorShape shape = ctx.input(0).shape();
    GpuPointer amount;
    if constexpr (kAdjusts) {
      MR_RETURN_IF_ERROR(
          CheckAdjusted(ctx.input(0), ctx.input(1),
                        kKind == Recolor::kHue ? "delta" : "scale"));
      amount = GpuInput(ctx.input(1));
    } else {
      MR_RETURN_IF_ERROR(CheckColors(ctx.input(0)));
    }
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.ForwardOrAllocateOutput({0}, 0, shape));
    const int64_t pixels = shape.num_elements() / 3;
    return LaunchGpu(ctx, recolor_, GridOver(pixels), GpuInput(ctx.input(0)),
                     GpuOutput(*out), amount, pixels);
  }

 private:
  static constexpr bool kAdjusts =
      kKind == Recolor::kHue || kKind == Recolor::kSaturation;
  GpuFunction recolor_;
};

}  // namespace

MR_KERNELS(RGBToHSV, Gpu){{.types = "T: float, double",
                           .make = MakeKernel<RecolorGpu<Recolor::kToHsv>>},
                          kOnHostIfAsked};
MR_KERNELS(HSVToRGB, Gpu){{.types = "T: float, double",
                           .make = MakeKernel<RecolorGpu<Recolor::kToRgb>>},
                          kOnHostIfAsked};
MR_KERNELS(AdjustHue, Gpu){
    {.types = "T: float, half", .make = MakeKernel<RecolorGpu<Recolor::kHue>>}};
MR_KERNELS(AdjustSaturation,
           Gpu){{.types = "T: float, half",
                 .make = MakeKernel<RecolorGpu<Recolor::kSaturation>>}};

}  // namespace millrace::ops
