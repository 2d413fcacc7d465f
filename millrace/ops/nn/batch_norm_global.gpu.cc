// Kernels of normalization by given statistics on GPUs.
#include "millrace/ops/nn/batch_norm.h"

#include "millrace/device/cuda/launch.h"
#include "millrace/kernel/kernel_decl.h"

MR_GPU_SOURCE(nn_batch_norm_global);

namespace millrace::ops {
namespace {

StatusOr<GpuFunction> LoadGlobal(const KernelInit& init, const char* entry) {
  return LoadGpuFunction(init, MR_GPU_SOURCE_OF(nn_batch_norm_global), entry,
                         {{"T", GpuTypeName(init.input_type(0))}});
}

class GlobalNormGpu {
 public:
  static StatusOr<GlobalNormGpu> Make(const KernelInit& init) {
    GlobalNormGpu k;
    MR_ASSIGN_OR_RETURN(k.attrs_, GlobalNormAttrs::Make(init));
    MR_ASSIGN_OR_RETURN(k.normalize_, LoadGlobal(init, "Normalize"));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    MR_RETURN_IF_ERROR(CheckGlobalNorm(ctx));
    const Tensor& x = ctx.input(0);
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, x.shape()));
    const int64_t n = x.num_elements();
    const GpuPointer gamma =
        attrs_.scales ? GpuInput(ctx.input(4)) : GpuPointer();
    return LaunchGpu(ctx, normalize_, GridOver(n), GpuInput(x),
                     GpuInput(ctx.input(1)), GpuInput(ctx.input(2)),
                     GpuInput(ctx.input(3)), gamma, GpuOutput(*out), n,
                     x.dim(3), attrs_.epsilon);
  }

 private:
  GlobalNormAttrs attrs_;
  GpuFunction normalize_;
};

class GlobalNormGradGpu {
 public:
  static StatusOr<GlobalNormGradGpu> Make(const KernelInit& init) {
    GlobalNormGradGpu k;
    MR_ASSIGN_OR_RETURN(k.attrs_, GlobalNormAttrs::Make(init));
    MR_ASSIGN_OR_RETURN(k.sum_, LoadGlobal(init, "SumGlobal"));
    MR_ASSIGN_OR_RETURN(k.join_, LoadGlobal(init, "JoinGlobal"));
    MR_ASSIGN_OR_RETURN(k.scale_, LoadGlobal(init, "ScaleGlobal"));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    MR_RETURN_IF_ERROR(CheckGlobalNormGrad(ctx));
    const Tensor &x = ctx.input(0), &dy = ctx.input(4);
    const int64_t channels = x.dim(3), pixels = x.shape().NumElements(0, 3);
    Tensor* outs[5];  // gradients of x, mean, variance, beta and gamma
    for (int i = 0; i < 5; ++i) {
      MR_ASSIGN_OR_RETURN(
          outs[i],
          ctx.AllocateOutput(i, i == 0 ? x.shape() : TensorShape({channels})));
    }
    if (channels == 0) return OkStatus();
    constexpr int64_t kWantedBlocks = 1024, kLeastPixels = 1024;
    const GpuSlices slices =
        CutLines(channels, pixels, kWantedBlocks, kLeastPixels);
    MR_ASSIGN_OR_RETURN(
        Tensor sums,
        ctx.AllocateTemp(DataType::kDouble,
                         TensorShape({slices.count, channels, 2})));
    MR_ASSIGN_OR_RETURN(
        Tensor factors,
        ctx.AllocateTemp(DataType::kDouble, TensorShape({channels})));
    MR_RETURN_IF_ERROR(LaunchGpu(
        ctx, sum_, GpuGrid{.blocks = slices.count * channels, .strided = true},
        GpuInput(x), GpuInput(ctx.input(1)), GpuInput(dy), GpuOutput(sums),
        slices.count * channels, pixels, channels, slices.size));
    MR_RETURN_IF_ERROR(LaunchGpu(
        ctx, join_, GridOver(channels), GpuInput(sums), GpuInput(ctx.input(2)),
        GpuInput(ctx.input(3)), GpuOutput(*outs[1]), GpuOutput(*outs[2]),
        GpuOutput(*outs[3]), GpuOutput(*outs[4]), GpuOutput(factors), channels,
        slices.count, attrs_.epsilon, attrs_.scales));
    const int64_t n = x.num_elements();
    return LaunchGpu(ctx, scale_, GridOver(n), GpuInput(dy), GpuInput(factors),
                     GpuOutput(*outs[0]), n, channels);
  }

 private:
  GlobalNormAttrs attrs_;
  GpuFunction sum_, join_, scale_;
};

}  // namespace

MR_KERNELS(BatchNormWithGlobalNormalization, Gpu){
    {.types = "T: float, half", .make = MakeKernel<GlobalNormGpu>},
    kOnHostIfAsked};
MR_KERNELS(BatchNormWithGlobalNormalizationGrad, Gpu){
    {.types = "T: float, half", .make = MakeKernel<GlobalNormGradGpu>},
    kOnHostIfAsked};

}  // namespace millrace::ops
