// Kernels of modified Bessel functions, by their power series and, for large
// numbers, by their asymptotic expansion.
#include <cmath>

#include "millrace/ops/elementwise/elementwise.h"

namespace millrace::ops {
namespace {

// From here on the smallest term of the expansion is below a rounding error.
constexpr double kBesselLarge = 20;
constexpr double kBesselPrecision = 1e-17;

// Returns exp(-x) times the function of order 0 or 1 of x >= 0.
double ScaledBessel(int order, double x) {
  double term = 1, sum = 1;
  if (x < kBesselLarge) {
    const double square = x * x / 4;
    for (int k = 1; term > kBesselPrecision * sum; ++k) {
      term *= square / (static_cast<double>(k) * (k + order));
      sum += term;
    }
    return (order == 0 ? sum : sum * (x / 2)) * std::exp(-x);
  }
  constexpr int kMostTerms = 40;
  for (int k = 1;
       k < kMostTerms && std::abs(term) > kBesselPrecision * std::abs(sum);
       ++k) {
    const double odd = 2 * k - 1;
    term *= (odd * odd - 4 * order) / (8 * k * x);
    sum += term;
  }
  constexpr double kRootOfTwoPi = 2.50662827463100050242;
  return sum / (std::sqrt(x) * kRootOfTwoPi);
}

struct BesselI0eOp {
  template <class T>
  static T Do(T x) {
    return static_cast<T>(ScaledBessel(0, std::abs(static_cast<double>(x))));
  }
};

struct BesselI1eOp {
  template <class T>
  static T Do(T x) {
    const double y = ScaledBessel(1, std::abs(static_cast<double>(x)));
    return static_cast<T>(x < 0 ? -y : y);
  }
};

constexpr UnaryTable kBesselI0e =
    MakeUnaryTable<BesselI0eOp>(RealLoops(), 60000);
constexpr UnaryTable kBesselI1e =
    MakeUnaryTable<BesselI1eOp>(RealLoops(), 60000);

}  // namespace

MR_KERNELS(BesselI0e, Cpu){{.types = "T: half, float, double",
                            .make = MakeUnary<kBesselI0e>,
                            .elementwise = UnaryFunction<kBesselI0e>}};
MR_KERNELS(BesselI1e, Cpu){{.types = "T: half, float, double",
                            .make = MakeUnary<kBesselI1e>,
                            .elementwise = UnaryFunction<kBesselI1e>}};

}  // namespace millrace::ops
