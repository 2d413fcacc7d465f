#include <cmath>
#include <limits>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/random/fill.h"
#include "millrace/ops/random/random_stream.h"
#include "millrace/ops/random/sample_shape.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// Samples one Poisson distribution; no number is above `limit`.
class PoissonNumbers {
 public:
  PoissonNumbers(double rate, double limit)
      : rate_(rate),
        limit_(limit),
        exp_(std::exp(-rate)),
        log_(std::log(rate)),
        b_(0.931 + 2.53 * std::sqrt(rate)),
        a_(-0.059 + 0.02483 * b_),
        inverse_(1.1239 + 1.1328 / (b_ - 3.4)) {}

  double operator()(Philox4x32 generator) const {
    UniformDoubles uniform(&generator);
    if (std::isnan(rate_) || (std::isinf(rate_) && rate_ > 0)) return rate_;
    return rate_ < 10 ? ByProduct(uniform) : ByRejection(uniform);
  }

 private:
  // Counts the uniform numbers until their product is below exp(-rate) (Knuth,
  // The Art of Computer Programming, volume 2).
  double ByProduct(UniformDoubles& uniform) const {
    double product = 1;
    double count = 0;
    while (true) {
      product *= uniform();
      if (product <= exp_ && count <= limit_) return count;
      count += 1;
    }
  }

  // Samples by transformed rejection (Hormann, "The transformed rejection
  // method for generating Poisson random variables", 1993), with the paper's
  // names.
  double ByRejection(UniformDoubles& uniform) const {
    while (true) {
      const double u = uniform() - 0.5;
      const double v = uniform();
      const double shifted = 0.5 - std::abs(u);
      const double k = std::floor((2 * a_ / shifted + b_) * u + rate_ + 0.43);
      if (k > limit_) continue;
      if (shifted >= 0.07 && v <= 0.9277 - 3.6224 / (b_ - 2)) return k;
      if (k < 0 || (shifted < 0.013 && v > shifted)) continue;
      const double s = std::log(v * inverse_ / (a_ / (shifted * shifted) + b_));
      if (s <= -rate_ + k * log_ - std::lgamma(k + 1)) return k;
    }
  }

  double rate_, limit_, exp_, log_, b_, a_, inverse_;
};

template <class T>
double Largest() {
  if constexpr (std::is_same_v<T, Half>) {
    return 65504;
  } else {
    return static_cast<double>(std::numeric_limits<T>::max());
  }
}

class RandomPoissonKernel {
 public:
  static StatusOr<RandomPoissonKernel> Make(const KernelInit& init) {
    RandomPoissonKernel k;
    MR_ASSIGN_OR_RETURN(k.stream_, RandomStream::Make(init));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& rate = ctx.input(1);
    MR_ASSIGN_OR_RETURN(const SampleShape s,
                        SampleShapeOf(ctx.input(0), rate.shape()));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, s.shape));
    if (s.total() == 0) return OkStatus();
    CountedVector<double> rates;
    rates.reserve(static_cast<size_t>(s.parameters));
    const Status read = Dispatch<double, float, Half, int32_t, int64_t>(
        rate.dtype(), [&]<class R>() -> Status {
          for (const R r : rate.flat<R>()) {
            rates.push_back(static_cast<double>(r));
          }
          return OkStatus();
        });
    MR_RETURN_IF_ERROR(read);
    const Philox4x32 base =
        stream_->Reserve(static_cast<uint64_t>(s.total()) * kReservedPerOutput);
    return Dispatch<double, float, Half, int32_t, int64_t>(
        out->dtype(), [&]<class T>() -> Status {
          MR_RETURN_IF_ERROR(Check<T>(rates));
          T* const z = out->mutable_flat<T>().data();
          return ctx.ParallelFor(
              s.total(), 300, [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                  const auto p = static_cast<size_t>(i / s.samples);
                  Philox4x32 generator = base;
                  generator.Skip(static_cast<uint64_t>(i) * kReservedPerOutput);
                  const PoissonNumbers numbers(rates[p], Largest<T>());
                  z[i % s.samples * s.parameters + static_cast<int64_t>(p)] =
                      Converted<T>(numbers(generator));
                }
              });
        });
  }

 private:
  // Refuses a rate beyond what the type holds, whose samples would be rejected
  // forever.
  template <class T>
  static Status Check(const CountedVector<double>& rates) {
    for (const double r : rates) {
      if (std::is_integral_v<T> ? std::isnan(r) || r > Largest<T>()
                                : !std::isinf(r) && r > Largest<T>()) {
        return InvalidArgument("rate must be a number that the type ",
                               DataTypeName(DataTypeOf<T>),
                               " of the output holds, but is ", r);
      }
    }
    return OkStatus();
  }

  // The largest int64 is rounded up when it becomes a double.
  template <class T>
  static T Converted(double x) {
    if constexpr (std::is_same_v<T, int64_t>) {
      if (x >= 0x1p63) return std::numeric_limits<int64_t>::max();
    }
    return static_cast<T>(x);
  }

  std::unique_ptr<RandomStream> stream_;
};

}  // namespace

MR_KERNELS(RandomPoisson,
           Cpu){{.make = MakeKernel<RandomPoissonKernel>, .host = "shape"}};
MR_KERNELS(RandomPoissonV2,
           Cpu){{.make = MakeKernel<RandomPoissonKernel>, .host = "shape"}};

}  // namespace millrace::ops
