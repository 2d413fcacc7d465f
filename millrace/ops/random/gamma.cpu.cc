#include <cmath>
#include <limits>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/math/elementwise.h"
#include "millrace/ops/math/special_functions.h"
#include "millrace/ops/random/fill.h"
#include "millrace/ops/random/random_stream.h"
#include "millrace/ops/random/sample_shape.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// Numbers of one gamma distribution (Marsaglia and Tsang, "A simple method for
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
    MR_ASSIGN(k.stream_, RandomStream::Make(init));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& alpha = ctx.input(1);
    MR_ASSIGN(const SampleShape s, SampleShapeOf(ctx.input(0), alpha.shape()));
    MR_ASSIGN(Tensor* const out, ctx.AllocateOutput(0, s.shape));
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

// A number and its derivative by alpha.
struct Dual {
  double value, slope;
};

constexpr int kMaxTerms = 100000;

// By the power series of the lower incomplete gamma function: the sum of
// x^n / ((a + 1) ... (a + n)).
Dual Series(double a, double x) {
  Dual term{1, 0};
  Dual sum = term;
  for (int n = 1; n < kMaxTerms; ++n) {
    const double r = a + n;
    term.slope = term.slope * (x / r) - term.value * x / (r * r);
    term.value *= x / r;
    sum.value += term.value;
    sum.slope += term.slope;
    if (std::abs(term.slope) <= 1e-17 * std::abs(sum.slope) &&
        term.value <= 1e-17 * sum.value) {
      break;
    }
  }
  return sum;
}

// By the continued fraction of the upper one, evaluated from the front.
Dual Fraction(double a, double x) {
  double y = 1 - a;
  double z = x + y + 1;
  Dual p2{1, 0}, q2{x, 0};
  Dual p1{x + 1, 0}, q1{z * x, -x};
  Dual ratio{p1.value / q1.value, 0};
  ratio.slope = (p1.slope - ratio.value * q1.slope) / q1.value;
  for (int n = 1; n < kMaxTerms; ++n) {
    y += 1;
    z += 2;
    const double yn = y * n;
    const auto next = [&](const Dual& one, const Dual& two) {
      return Dual{one.value * z - two.value * yn,
                  one.slope * z - one.value - two.slope * yn + two.value * n};
    };
    const Dual p = next(p1, p2);
    const Dual q = next(q1, q2);
    p2 = p1;
    q2 = q1;
    p1 = p;
    q1 = q;
    if (q.value != 0) {
      const Dual before = ratio;
      ratio.value = p.value / q.value;
      ratio.slope = (p.slope - ratio.value * q.slope) / q.value;
      if (std::abs(ratio.slope - before.slope) <=
              1e-16 * std::abs(ratio.slope) &&
          std::abs(ratio.value - before.value) <=
              1e-16 * std::abs(ratio.value)) {
        break;
      }
    }
    if (std::abs(p.value) > 0x1p+52) {
      for (Dual* d : {&p1, &p2, &q1, &q2}) {
        d->value *= 0x1p-52;
        d->slope *= 0x1p-52;
      }
    }
  }
  return ratio;
}

// d sample / d alpha = -(dP/da) / p, where P(a, x) is the distribution
// function and p its density; the common factors of both cancel out.
double SampleSlope(double a, double x) {
  if (std::isnan(a) || std::isnan(x) || a <= 0 || x < 0) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (x == 0) return 0;
  if (x > 1 && x > a) {
    const Dual f = Fraction(a, x);
    return (f.slope + f.value * (std::log(x) - special::Digamma(a))) * x;
  }
  const Dual s = Series(a, x);
  return -(s.slope + s.value * (std::log(x) - special::Digamma(a + 1))) * x / a;
}

struct RandomGammaGradOp {
  template <class T>
  static T Do(T alpha, T sample) {
    return static_cast<T>(SampleSlope(alpha, sample));
  }
};
constexpr BinaryTable kRandomGammaGrad =
    MakeBinaryTable<RandomGammaGradOp>(RealLoops(), 400000);

}  // namespace
}  // namespace millrace::ops

using namespace millrace;
using namespace millrace::ops;

MR_KERNELS(RandomGamma, Cpu){{.types = "T: double, float, half",
                              .make = MakeKernel<RandomGammaKernel>,
                              .host = "shape"}};
MR_KERNELS(RandomGammaGrad,
           Cpu){{.make = MakeBinary<kRandomGammaGrad>,
                 .elementwise = BinaryFunction<kRandomGammaGrad>}};
