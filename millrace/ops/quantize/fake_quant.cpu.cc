// Kernels of FakeQuant: rounding to evenly spaced numbers in a range, and its
// gradients. One range for all, given by attributes or inputs, is treated as a
// range for each of one channels.
#include <algorithm>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/base/target_clones.h"
#include "millrace/kernel/kernel.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/elementwise/elementwise.h"
#include "millrace/ops/quantize/fake_quant.h"

namespace millrace::ops {

StatusOr<QuantSteps> QuantSteps::Make(const KernelInit& init) {
  MR_ASSIGN_OR_RETURN(const int64_t num_bits, init.Attr<int32_t>("num_bits"));
  if (num_bits < 2 || num_bits > 16) {
    return InvalidArgument(
        "num_bits must be between 2 and 16, inclusive, but got ", num_bits);
  }
  MR_ASSIGN_OR_RETURN(const bool narrow, init.Attr<bool>("narrow_range"));
  return QuantSteps{narrow ? 1.0f : 0.0f,
                    static_cast<float>((int64_t{1} << num_bits) - 1)};
}

StatusOr<QuantArgs> QuantArgs::Make(const KernelInit& init) {
  QuantArgs args;
  MR_ASSIGN_OR_RETURN(args.min, init.Attr<float>("min"));
  MR_ASSIGN_OR_RETURN(args.max, init.Attr<float>("max"));
  if (!(args.min < args.max)) {
    return InvalidArgument("min has to be smaller than max, was: ", args.min,
                           " >= ", args.max);
  }
  MR_ASSIGN_OR_RETURN(args.steps, QuantSteps::Make(init));
  return args;
}

Status CheckQuantGradient(const Tensor& gradient, const Tensor& input) {
  if (gradient.shape() == input.shape()) return OkStatus();
  return InvalidArgument("gradient and input must be the same size: ",
                         gradient.shape().DebugString(), " vs ",
                         input.shape().DebugString());
}

Status CheckQuantScalars(const Tensor& min, const Tensor& max) {
  if (min.rank() != 0) {
    return InvalidArgument("`min` must be rank 0 but is rank ", min.rank());
  }
  if (max.rank() != 0) {
    return InvalidArgument("`max` must be rank 0 but is rank ", max.rank());
  }
  return OkStatus();
}

Status CheckQuantChannels(const Tensor& input, const Tensor& min,
                          const Tensor& max) {
  if (input.rank() < 1) {
    return InvalidArgument("inputs must have at least rank 1, but got rank 0");
  }
  const int64_t depth = input.dim(input.rank() - 1);
  const auto check = [depth](const Tensor& t, const char* name) -> Status {
    if (t.rank() != 1) {
      return InvalidArgument("`", name, "` must be rank 1 but is rank ",
                             t.rank());
    }
    if (t.dim(0) != depth) {
      return InvalidArgument(name, " has incorrect size, expected ", depth,
                             " was ", t.dim(0));
    }
    return OkStatus();
  };
  MR_RETURN_IF_ERROR(check(min, "min"));
  return check(max, "max");
}

namespace {

// The ranges of all channels, in one array for each parameter. They are
// repeated so that loops over them are long even for few channels.
class Channels {
 public:
  // Requires: min and max have `depth` elements.
  Channels(const float* min, const float* max, int64_t depth, QuantSteps steps)
      : depth_(depth) {
    constexpr int64_t kEnough = 256;
    const int64_t times = std::max<int64_t>(1, kEnough / depth);
    for (int64_t i = 0; i < times * depth; ++i) {
      const float low = min[i % depth], high = max[i % depth];
      const NudgedRange r = Nudge(low, high, steps.least, steps.most);
      const bool none = low == 0 && high == 0;
      min_.push_back(r.min);
      max_.push_back(r.max);
      scale_.push_back(r.scale);
      zero_.push_back(StepOnZero(r.min, 1.0f / r.scale));
      empty_.push_back(none ? 1 : 0);
    }
  }
  int64_t depth() const { return depth_; }
  int64_t period() const { return static_cast<int64_t>(min_.size()); }

  // Calls f(index in the arrays, element, n) for pieces of elements [begin,
  // end) of a tensor whose last dimension is the channels.
  template <class F>
  void ForPieces(int64_t begin, int64_t end, F&& f) const {
    while (begin < end) {
      const int64_t at = begin % period();
      const int64_t n = std::min(period() - at, end - begin);
      f(at, begin, n);
      begin += n;
    }
  }

  const float* min(int64_t i) const { return &min_[i]; }
  const float* max(int64_t i) const { return &max_[i]; }
  const float* scale(int64_t i) const { return &scale_[i]; }
  const float* zero(int64_t i) const { return &zero_[i]; }
  // 1 if the range is [0, 0], where everything becomes 0 and gradients pass.
  const int32_t* empty(int64_t i) const { return &empty_[i]; }

 private:
  int64_t depth_;
  CountedVector<float> min_, max_, scale_, zero_;
  CountedVector<int32_t> empty_;
};

MR_TARGET_CLONES void RoundPiece(const float* x, const float* min,
                                 const float* max, const float* scale,
                                 const float* zero, const int32_t* empty,
                                 float* z, int64_t n) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    const float v = NearestStep(x[i], min[i], max[i], scale[i], zero[i]);
    z[i] = empty[i] ? 0.0f : v;
  }
}

// Rounds with one range; `inverse` is 1 / scale, rounded once.
MR_TARGET_CLONES void RoundAll(const float* x, NudgedRange r, float inverse,
                               float zero, float* z, int64_t n) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    z[i] = NearestStepByInverse(x[i], r, inverse, zero);
  }
}

MR_TARGET_CLONES void PassPiece(const float* dy, const float* x,
                                const float* min, const float* max,
                                const int32_t* empty, float* dx, int64_t n) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    dx[i] = GradientOfValue(dy[i], x[i], min[i], max[i], empty[i] != 0);
  }
}

// Sums the gradients of the ends of the ranges.
MR_TARGET_CLONES void SumPiece(const float* dy, const float* x,
                               const float* min, const float* max,
                               const int32_t* empty, double* below,
                               double* above, int64_t n) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    below[i] += empty[i] ? 0.0f : GradientOfMin(dy[i], x[i], min[i]);
    above[i] += empty[i] ? 0.0f : GradientOfMax(dy[i], x[i], max[i]);
  }
}

Status RoundIn(KernelContext& ctx, const Channels& c) {
  MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.ForwardOrAllocateOutput(
                                             {0}, 0, ctx.input(0).shape()));
  const float* x = ctx.input(0).flat<float>().data();
  float* z = out->mutable_flat<float>().data();
  return ShardElements(
      ctx, out->num_elements(), 400, [&](int64_t begin, int64_t end) {
        c.ForPieces(begin, end, [&](int64_t at, int64_t i, int64_t n) {
          RoundPiece(x + i, c.min(at), c.max(at), c.scale(at), c.zero(at),
                     c.empty(at), z + i, n);
        });
      });
}

// Computes output 0 of a gradient op from inputs 0 and 1.
Status PassIn(KernelContext& ctx, const Channels& c) {
  const Tensor &dy = ctx.input(0), &x = ctx.input(1);
  MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, x.shape()));
  const float* from = dy.flat<float>().data();
  const float* in = x.flat<float>().data();
  float* z = out->mutable_flat<float>().data();
  return ShardElements(
      ctx, x.num_elements(), 300, [&](int64_t begin, int64_t end) {
        c.ForPieces(begin, end, [&](int64_t at, int64_t i, int64_t n) {
          PassPiece(from + i, in + i, c.min(at), c.max(at), c.empty(at), z + i,
                    n);
        });
      });
}

// Computes outputs 1 and 2: sums for each channel. The tensor is cut by its
// shape alone, so that sums do not depend on threads.
Status SumEnds(KernelContext& ctx, const Channels& c,
               const TensorShape& shape) {
  MR_ASSIGN_OR_RETURN(Tensor* const min, ctx.AllocateOutput(1, shape));
  MR_ASSIGN_OR_RETURN(Tensor* const max, ctx.AllocateOutput(2, shape));
  const Tensor &dy = ctx.input(0), &x = ctx.input(1);
  const int64_t total = x.num_elements(), period = c.period();
  constexpr int64_t kParts = 64;
  const int64_t periods = (total + period - 1) / period;
  const int64_t parts = std::clamp<int64_t>(periods / 16, 1, kParts);
  const int64_t per_part = (periods + parts - 1) / parts * period;
  MR_ASSIGN_OR_RETURN(
      Tensor sums,
      ctx.AllocateTemp(DataType::kDouble, TensorShape({parts, 2, period})));
  double* const first = sums.mutable_flat<double>().data();
  std::fill(first, first + parts * 2 * period, 0.0);
  const float* from = dy.flat<float>().data();
  const float* in = x.flat<float>().data();
  MR_RETURN_IF_ERROR(
      ctx.ParallelFor(parts, per_part / 2 + 1, [&](int64_t begin, int64_t end) {
        for (int64_t part = begin; part < end; ++part) {
          double* below = first + part * 2 * period;
          double* above = below + period;
          const int64_t stop = std::min(total, (part + 1) * per_part);
          c.ForPieces(part * per_part, stop,
                      [&](int64_t at, int64_t i, int64_t n) {
                        SumPiece(from + i, in + i, c.min(at), c.max(at),
                                 c.empty(at), below + at, above + at, n);
                      });
        }
      }));
  for (int64_t channel = 0; channel < c.depth(); ++channel) {
    double below = 0, above = 0;
    for (int64_t part = 0; part < parts; ++part) {
      const double* at = first + part * 2 * period;
      for (int64_t i = channel; i < period; i += c.depth()) {
        below += at[i];
        above += at[period + i];
      }
    }
    min->mutable_flat<float>()[channel] = static_cast<float>(below);
    max->mutable_flat<float>()[channel] = static_cast<float>(above);
  }
  return OkStatus();
}

class FakeQuantArgs {
 public:
  static StatusOr<FakeQuantArgs> Make(const KernelInit& init) {
    FakeQuantArgs k;
    MR_ASSIGN_OR_RETURN(k.args_, QuantArgs::Make(init));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const NudgedRange r = args_.Nudged();
    const float inverse = args_.Inverse();
    const float zero = StepOnZero(r.min, inverse);
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.ForwardOrAllocateOutput(
                                               {0}, 0, ctx.input(0).shape()));
    const float* x = ctx.input(0).flat<float>().data();
    float* z = out->mutable_flat<float>().data();
    return ShardElements(
        ctx, out->num_elements(), 300, [&](int64_t begin, int64_t end) {
          RoundAll(x + begin, r, inverse, zero, z + begin, end - begin);
        });
  }

 protected:
  QuantArgs args_;
};

class FakeQuantArgsGradient : public FakeQuantArgs {
 public:
  static StatusOr<FakeQuantArgsGradient> Make(const KernelInit& init) {
    FakeQuantArgsGradient k;
    MR_ASSIGN_OR_RETURN(static_cast<FakeQuantArgs&>(k),
                        FakeQuantArgs::Make(init));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    if (ctx.input(0).shape() != ctx.input(1).shape()) {
      return DifferentShapes(ctx, 1);
    }
    return PassIn(ctx, Channels(&args_.min, &args_.max, 1, args_.steps));
  }
};

// The inputs are the gradient (if kGradient), the values, min and max.
template <bool kPerChannel, bool kGradient>
class FakeQuantVars {
 public:
  static StatusOr<FakeQuantVars> Make(const KernelInit& init) {
    FakeQuantVars k;
    MR_ASSIGN_OR_RETURN(k.steps_, QuantSteps::Make(init));
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
    if (min.num_elements() == 0) return RunWithoutChannels(ctx, x, min);
    const Channels c(min.flat<float>().data(), max.flat<float>().data(),
                     min.num_elements(), steps_);
    if constexpr (kGradient) {
      MR_RETURN_IF_ERROR(PassIn(ctx, c));
      return SumEnds(ctx, c, min.shape());
    } else {
      return RoundIn(ctx, c);
    }
  }

 private:
  static Status RunWithoutChannels(KernelContext& ctx, const Tensor& x,
                                   const Tensor& min) {
    MR_RETURN_IF_ERROR(ctx.AllocateOutput(0, x.shape()).status());
    for (int i = 1; i < ctx.num_outputs(); ++i) {
      MR_RETURN_IF_ERROR(ctx.AllocateOutput(i, min.shape()).status());
    }
    return OkStatus();
  }

  QuantSteps steps_;
};

}  // namespace

MR_KERNELS(FakeQuantWithMinMaxArgs, Cpu){{.make = MakeKernel<FakeQuantArgs>}};
MR_KERNELS(FakeQuantWithMinMaxArgsGradient,
           Cpu){{.make = MakeKernel<FakeQuantArgsGradient>}};
MR_KERNELS(FakeQuantWithMinMaxVars,
           Cpu){{.make = MakeKernel<FakeQuantVars<false, false>>}};
MR_KERNELS(FakeQuantWithMinMaxVarsGradient,
           Cpu){{.make = MakeKernel<FakeQuantVars<false, true>>}};
MR_KERNELS(FakeQuantWithMinMaxVarsPerChannel,
           Cpu){{.make = MakeKernel<FakeQuantVars<true, false>>}};
MR_KERNELS(FakeQuantWithMinMaxVarsPerChannelGradient,
           Cpu){{.make = MakeKernel<FakeQuantVars<true, true>>}};

}  // namespace millrace::ops
