#include <cmath>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/arithmetic/gamma_slope.h"
#include "millrace/ops/elementwise/elementwise.h"
#include "millrace/ops/random/fill.h"
#include "millrace/ops/random/random_stream.h"
#include "millrace/ops/random/sample_shape.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// Samples one gamma distribution (Marsaglia and Tsang, "A simple method for
// generating gamma variables", 2000).
class GammaNumbers {
 public:
  explicit GammaNumbers(double alpha)
      : alpha_(alpha),
        below_one_(alpha < 1),
        d_(alpha + (below_one_ ? 2.0 / 3 : -1.0 / 3)),
        c_(1.0 / 3 / std::sqrt(d_)) {}

  double operator()(Philox4x32 generator) const {
    UniformDoubles uniform(&generator);
    if (alpha_ == 1.0) return -std::log1p(-uniform());
    NormalNumbers normal(&generator);
    while (true) {
      const double x = normal();
      double v = 1 + c_ * x;
      if (v <= 0) continue;
      v = v * v * v;
      const double u = uniform();
      if ((u < 1 - 0.0331 * (x * x) * (x * x)) ||
          (std::log(u) < 0.5 * x * x + d_ * (1 - v + std::log(v)))) {
        const double result = d_ * v;
        return below_one_ ? result * std::pow(uniform(), 1 / alpha_) : result;
      }
    }
  }

 private:
  double alpha_;
  bool below_one_;
  double d_, c_;
};

class RandomGammaKernel {
 public:
  static StatusOr<RandomGammaKernel> Make(const KernelInit& init) {
    RandomGammaKernel k;
    MR_ASSIGN_OR_RETURN(k.stream_, RandomStream::Make(init));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& alpha = ctx.input(1);
    MR_ASSIGN_OR_RETURN(const SampleShape s,
                        SampleShapeOf(ctx.input(0), alpha.shape()));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, s.shape));
    if (s.total() == 0) return OkStatus();
    const Philox4x32 base =
        stream_->Reserve(static_cast<uint64_t>(s.total()) * kReservedPerOutput);
    return Dispatch<float, double, Half>(
        out->dtype(), [&]<class T>() -> Status {
          const T* const a = alpha.flat<T>().data();
          T* const z = out->mutable_flat<T>().data();
          return ctx.ParallelFor(
              s.total(), 300, [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                  const int64_t p = i / s.samples;
                  Philox4x32 generator = base;
                  generator.Skip(static_cast<uint64_t>(i) * kReservedPerOutput);
                  z[i % s.samples * s.parameters + p] = static_cast<T>(
                      GammaNumbers(static_cast<double>(a[p]))(generator));
                }
              });
        });
  }

 private:
  std::unique_ptr<RandomStream> stream_;
};

struct RandomGammaGradOp {
  template <class T>
  static T Do(T alpha, T sample) {
    return static_cast<T>(GammaSampleSlope(alpha, sample));
  }
};
// Picoseconds of the slowest element.
constexpr int kSlopePicos = 20'000'000;
constexpr BinaryTable kRandomGammaGrad =
    MakeBinaryTable<RandomGammaGradOp>(RealLoops(), kSlopePicos);

}  // namespace

MR_KERNELS(RandomGamma, Cpu){{.types = "T: double, float, half",
                              .make = MakeKernel<RandomGammaKernel>,
                              .host = "shape"}};
MR_KERNELS(RandomGammaGrad,
           Cpu){{.make = MakeBinary<kRandomGammaGrad>,
                 .elementwise = BinaryFunction<kRandomGammaGrad>}};

}  // namespace millrace::ops
