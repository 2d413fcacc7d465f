#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/random/distributions.h"
#include "millrace/ops/random/random_stream.h"
#include "millrace/ops/random/truncated_normal.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// Samples normal numbers between limits, in the arithmetic of T: each operation
// on half is rounded. The batches go on with one stream, so there is one
// thread.
template <class T>
class TruncatedSampler {
 public:
  using C = ComputeType<T>;
  struct Parameters {
    C mean, deviation, low, high;
  };

  TruncatedSampler(KernelContext& ctx, const Philox4x32& generator)
      : ctx_(ctx), generator_(generator) {}

  // Fills [out, end). Returns INVALID_ARGUMENT for limits without numbers
  // between them, INTERNAL if no number is found.
  Status Fill(Parameters p, T* out, T* end) {
    if (!(p.deviation > 0 && p.low < p.high &&
          (std::isfinite(p.low) || std::isfinite(p.high)))) {
      return TruncatedPlan::BadParameters();
    }
    // The lower limit becomes the nearer one.
    if ((std::isinf(p.low) && p.low < 0) || p.high < p.mean) {
      std::swap(p.low, p.high);
      p.deviation = -p.deviation;
    }
    out_ = out;
    end_ = end;
    attempts_ = 0;
    mean_ = p.mean;
    deviation_ = p.deviation;
    low_ = Round(Round(p.low - p.mean) / p.deviation);
    high_ = Round(Round(p.high - p.mean) / p.deviation);
    const C far = Round(C(1.3));
    if ((low_ < -far && high_ >= 0) || (high_ > far && low_ <= 0)) {
      return FromNormal();
    }
    const C root = Round(std::sqrt(Round(Round(low_ * low_) + 4)));
    const C width = Round(high_ - low_);
    const C exponent =
        Round(C(0.5) + Round(Round(low_ * Round(low_ - root)) / 4));
    const C widest =
        Round(Round(2 * Round(std::exp(exponent))) / Round(low_ + root));
    return width < widest ? FromUniform(width)
                          : FromExponential(Round(Round(low_ + root) / 2));
  }

 private:
  static constexpr int kGroup = std::is_same_v<T, double> ? 2 : 4;
  using Group = std::array<C, kGroup>;

  static C Round(C x) { return static_cast<C>(static_cast<T>(x)); }

  Group UniformGroup() {
    const Philox4x32::Result r = generator_();
    if constexpr (std::is_same_v<T, double>) {
      return {UniformDouble(r[0], r[1]), UniformDouble(r[2], r[3])};
    } else if constexpr (std::is_same_v<T, Half>) {
      Group g;
      for (size_t i = 0; i < g.size(); ++i) {
        g[i] = static_cast<float>(UniformHalf(r[i]));
      }
      return g;
    } else {
      return {UniformFloat(r[0]), UniformFloat(r[1]), UniformFloat(r[2]),
              UniformFloat(r[3])};
    }
  }

  Group NormalGroup() {
    const Philox4x32::Result r = generator_();
    if constexpr (std::is_same_v<T, double>) {
      const DoublePair pair = NormalDoubles(r[0], r[1], r[2], r[3]);
      return {pair.first, pair.second};
    } else {
      const FloatPair a = NormalFloats(r[0], r[1]);
      const FloatPair b = NormalFloats(r[2], r[3]);
      return {Round(a.first), Round(a.second), Round(b.first), Round(b.second)};
    }
  }

  // Keeps or drops a normalized number.
  Status Take(C z, bool accepted, const char* sampler) {
    if (accepted) {
      *out_++ = static_cast<T>(Round(z * deviation_) + mean_);
      attempts_ = 0;
      return OkStatus();
    }
    if (++attempts_ < kMostTruncatedAttempts) return OkStatus();
    return TruncatedPlan::NothingFound(sampler);
  }

  // Looks for a cancelled step from time to time.
  Status Tick() {
    if (++groups_ % 4096 != 0) return OkStatus();
    return ctx_.CheckCancelled();
  }

  Status FromNormal() {
    while (out_ < end_) {
      for (const C z : NormalGroup()) {
        MR_RETURN_IF_ERROR(Take(z, z >= low_ && z <= high_, "randn"));
        if (out_ == end_) break;
      }
      MR_RETURN_IF_ERROR(Tick());
    }
    return OkStatus();
  }

  Status FromUniform(C width) {
    const C plus = low_ < 0 ? C(0) : Round(low_ * low_);
    while (out_ < end_) {
      const Group places = UniformGroup();
      const Group heights = UniformGroup();
      for (size_t i = 0; i < places.size() && out_ < end_; ++i) {
        const C z = Round(Round(places[i] * width) + low_);
        const C density =
            Round(std::exp(Round(Round(plus - Round(z * z)) / 2)));
        MR_RETURN_IF_ERROR(Take(z, heights[i] <= density, "uniform"));
      }
      MR_RETURN_IF_ERROR(Tick());
    }
    return OkStatus();
  }

  Status FromExponential(C alpha) {
    while (out_ < end_) {
      const Group numbers = UniformGroup();
      for (size_t i = 0; i < numbers.size() && out_ < end_; i += 2) {
        const C z = Round(Round(Round(-std::log(numbers[i])) / alpha) + low_);
        const C x = low_ < alpha ? Round(alpha - z) : Round(low_ - alpha);
        const C density = Round(std::exp(Round(Round(-x * x) / 2)));
        MR_RETURN_IF_ERROR(Take(z, numbers[i + 1] <= density && z < high_,
                                "exponential distribution"));
      }
      MR_RETURN_IF_ERROR(Tick());
    }
    return OkStatus();
  }

  KernelContext& ctx_;
  Philox4x32 generator_;
  T* out_ = nullptr;
  T* end_ = nullptr;
  int attempts_ = 0;
  uint64_t groups_ = 0;
  C mean_ = 0, deviation_ = 0, low_ = 0, high_ = 0;
};

class ParameterizedTruncatedNormalKernel {
 public:
  static StatusOr<ParameterizedTruncatedNormalKernel> Make(
      const KernelInit& init) {
    ParameterizedTruncatedNormalKernel k;
    MR_ASSIGN_OR_RETURN(k.stream_, RandomStream::Make(init));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(const TruncatedPlan plan, TruncatedPlan::Make(ctx));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, plan.shape));
    const int64_t size = out->num_elements();
    const int64_t batches = plan.batches, samples = plan.samples;
    const Philox4x32 base = stream_->Reserve(plan.reserved);
    return Dispatch<float, double, Half>(
        out->dtype(), [&]<class T>() -> Status {
          TruncatedSampler<T> sampler(ctx, base);
          T* const z = out->mutable_flat<T>().data();
          for (int64_t b = 0; b < batches; ++b) {
            const auto at = [&](int i) {
              const auto values = ctx.input(i).flat<T>();
              return static_cast<ComputeType<T>>(
                  values[values.size() == 1 ? 0 : static_cast<size_t>(b)]);
            };
            MR_RETURN_IF_ERROR(
                sampler.Fill({at(1), at(2), at(3), at(4)}, z + b * samples,
                             z + std::min(size, (b + 1) * samples)));
          }
          return OkStatus();
        });
  }

 private:
  std::unique_ptr<RandomStream> stream_;
};

}  // namespace

MR_KERNELS(ParameterizedTruncatedNormal,
           Cpu){{.types = "dtype: double, float, half",
                 .make = MakeKernel<ParameterizedTruncatedNormalKernel>,
                 .host = "shape"}};

}  // namespace millrace::ops
