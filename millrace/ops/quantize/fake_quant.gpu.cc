#include "millrace/ops/quantize/fake_quant.h"

#include "millrace/device/cuda/launch.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/elementwise/elementwise.h"

MR_GPU_SOURCE(quantize_fake_quant_shared);
MR_GPU_SOURCE(quantize_fake_quant);

namespace millrace::ops {
namespace {

StatusOr<GpuFunction> Load(const KernelInit& init, const char* entry) {
  const GpuSource* const sources[] = {
      &MR_GPU_SOURCE_OF(quantize_fake_quant_shared),
      &MR_GPU_SOURCE_OF(quantize_fake_quant)};
  return LoadGpuFunction(init, sources, entry, {});
}

class FakeQuantArgsGpu {
 public:
  static StatusOr<FakeQuantArgsGpu> Make(const KernelInit& init) {
    FakeQuantArgsGpu k;
    MR_ASSIGN_OR_RETURN(k.args_, QuantArgs::Make(init));
    MR_ASSIGN_OR_RETURN(k.round_, Load(init, "RoundAll"));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const NudgedRange r = args_.Nudged();
    const float inverse = args_.Inverse();
    const float zero = StepOnZero(r.min, inverse);
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.ForwardOrAllocateOutput(
                                               {0}, 0, ctx.input(0).shape()));
    const int64_t n = out->num_elements();
    return LaunchGpu(ctx, round_, GridOver(n), GpuInput(ctx.input(0)),
                     GpuOutput(*out), n, r.min, r.max, r.scale, inverse, zero);
  }

 private:
  QuantArgs args_;
  GpuFunction round_;
};

// Ranges on the device: five floats for each channel.
class GpuRanges {
 public:
  static StatusOr<GpuRanges> Make(const KernelInit& init) {
    GpuRanges r;
    MR_ASSIGN_OR_RETURN(r.steps_, QuantSteps::Make(init));
    MR_ASSIGN_OR_RETURN(r.nudge_, Load(init, "NudgeRanges"));
    return r;
  }
  StatusOr<Tensor> Nudge(KernelContext& ctx, const Tensor& min,
                         const Tensor& max) const {
    const int64_t depth = min.num_elements();
    MR_ASSIGN_OR_RETURN(
        Tensor ranges,
        ctx.AllocateTemp(DataType::kFloat, TensorShape({5, depth})));
    MR_RETURN_IF_ERROR(LaunchGpu(ctx, nudge_, GridOver(depth), GpuInput(min),
                                 GpuInput(max), GpuOutput(ranges), depth,
                                 steps_.least, steps_.most));
    return ranges;
  }

 private:
  QuantSteps steps_;
  GpuFunction nudge_;
};

// Output 0 of a gradient op, from inputs 0 and 1.
Status PassGradient(KernelContext& ctx, const GpuFunction& pass,
                    const Tensor& ranges) {
  const Tensor& x = ctx.input(1);
  MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, x.shape()));
  const int64_t n = x.num_elements();
  return LaunchGpu(ctx, pass, GridOver(n), GpuInput(ctx.input(0)), GpuInput(x),
                   GpuInput(ranges), GpuOutput(*out), n, ranges.dim(1));
}

class FakeQuantArgsGradientGpu {
 public:
  static StatusOr<FakeQuantArgsGradientGpu> Make(const KernelInit& init) {
    FakeQuantArgsGradientGpu k;
    MR_ASSIGN_OR_RETURN(k.args_, QuantArgs::Make(init));
    MR_ASSIGN_OR_RETURN(k.ranges_, GpuRanges::Make(init));
    MR_ASSIGN_OR_RETURN(k.pass_, Load(init, "PassGradient"));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    if (ctx.input(0).shape() != ctx.input(1).shape()) {
      return DifferentShapes(ctx, 1);
    }
    const float ends[] = {args_.min, args_.max};
    MR_ASSIGN_OR_RETURN(const Tensor bytes,
                        UploadToGpu(ctx, ends, sizeof(ends)));
    const Tensor both = bytes.BitcastTo(DataType::kFloat, TensorShape({2}));
    MR_ASSIGN_OR_RETURN(const Tensor ranges,
                        ranges_.Nudge(ctx, both.Rows(0, 1), both.Rows(1, 2)));
    return PassGradient(ctx, pass_, ranges);
  }

 private:
  QuantArgs args_;
  GpuRanges ranges_;
  GpuFunction pass_;
};

// The inputs are the gradient (if kGradient), the values, min and max.
template <bool kPerChannel, bool kGradient>
class FakeQuantVarsGpu {
 public:
  static StatusOr<FakeQuantVarsGpu> Make(const KernelInit& init) {
    FakeQuantVarsGpu k;
    MR_ASSIGN_OR_RETURN(k.ranges_, GpuRanges::Make(init));
    if (kGradient) {
      MR_ASSIGN_OR_RETURN(k.pass_, Load(init, "PassGradient"));
      MR_ASSIGN_OR_RETURN(k.sum_, Load(init, "SumEnds"));
      MR_ASSIGN_OR_RETURN(k.join_, Load(init, "JoinEnds"));
    } else {
      MR_ASSIGN_OR_RETURN(k.round_, Load(init, "RoundToSteps"));
    }
    return k;
  }

  Status Run(KernelContext& ctx) const {
    constexpr int kValues = kGradient ? 1 : 0;
    const Tensor& x = ctx.input(kValues);
    const Tensor& min = ctx.input(kValues + 1);
    const Tensor& max = ctx.input(kValues + 2);
    if (kGradient) MR_RETURN_IF_ERROR(CheckQuantGradient(ctx.input(0), x));
    MR_RETURN_IF_ERROR(kPerChannel ? CheckQuantChannels(x, min, max)
                                   : CheckQuantScalars(min, max));
    if (min.num_elements() == 0) {
      MR_RETURN_IF_ERROR(ctx.AllocateOutput(0, x.shape()).status());
      for (int i = 1; i < ctx.num_outputs(); ++i) {
        MR_RETURN_IF_ERROR(ctx.AllocateOutput(i, min.shape()).status());
      }
      return OkStatus();
    }
    MR_ASSIGN_OR_RETURN(const Tensor ranges, ranges_.Nudge(ctx, min, max));
    if (kGradient) {
      MR_RETURN_IF_ERROR(PassGradient(ctx, pass_, ranges));
      return SumEnds(ctx, ranges, min.shape());
    }
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.ForwardOrAllocateOutput({0}, 0, x.shape()));
    const int64_t n = out->num_elements();
    return LaunchGpu(ctx, round_, GridOver(n), GpuInput(ctx.input(0)),
                     GpuInput(ranges), GpuOutput(*out), n, ranges.dim(1));
  }

 private:
  // Computes outputs 1 and 2, sums for each channel in an order that depends on
  // the shape alone.
  Status SumEnds(KernelContext& ctx, const Tensor& ranges,
                 const TensorShape& shape) const {
    MR_ASSIGN_OR_RETURN(Tensor* const min, ctx.AllocateOutput(1, shape));
    MR_ASSIGN_OR_RETURN(Tensor* const max, ctx.AllocateOutput(2, shape));
    constexpr int64_t kWantedBlocks = 512, kLeastRows = 2048;
    const int64_t depth = ranges.dim(1);
    const int64_t rows = ctx.input(1).num_elements() / depth;
    const GpuSlices slices = CutLines(depth, rows, kWantedBlocks, kLeastRows);
    MR_ASSIGN_OR_RETURN(
        Tensor partial,
        ctx.AllocateTemp(DataType::kDouble,
                         TensorShape({slices.count, depth, 2})));
    MR_RETURN_IF_ERROR(LaunchGpu(
        ctx, sum_, GpuGrid{.blocks = depth * slices.count, .strided = true},
        GpuInput(ctx.input(0)), GpuInput(ctx.input(1)), GpuInput(ranges),
        GpuOutput(partial), rows, depth, slices.count, slices.size));
    return LaunchGpu(ctx, join_, GridOver(depth), GpuInput(partial),
                     GpuOutput(*min), GpuOutput(*max), depth, slices.count);
  }

  GpuRanges ranges_;
  GpuFunction round_, pass_, sum_, join_;
};

}  // namespace

MR_KERNELS(FakeQuantWithMinMaxArgs,
           Gpu){{.make = MakeKernel<FakeQuantArgsGpu>}};
MR_KERNELS(FakeQuantWithMinMaxArgsGradient,
           Gpu){{.make = MakeKernel<FakeQuantArgsGradientGpu>}};
MR_KERNELS(FakeQuantWithMinMaxVars,
           Gpu){{.make = MakeKernel<FakeQuantVarsGpu<false, false>>}};
MR_KERNELS(FakeQuantWithMinMaxVarsGradient,
           Gpu){{.make = MakeKernel<FakeQuantVarsGpu<false, true>>}};
MR_KERNELS(FakeQuantWithMinMaxVarsPerChannel,
           Gpu){{.make = MakeKernel<FakeQuantVarsGpu<true, false>>}};
MR_KERNELS(FakeQuantWithMinMaxVarsPerChannelGradient,
           Gpu){{.make = MakeKernel<FakeQuantVarsGpu<true, true>>}};

}  // namespace millrace::ops
