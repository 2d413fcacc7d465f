// Error and gamma functions.
#include <cmath>
#include <limits>

#include "millrace/ops/math/elementwise.h"
#include "millrace/ops/math/float_math.h"

namespace millrace::ops {
namespace {

struct ErfOp {
  static float Do(float x) { return float_math::Erf(x); }
  static double Do(double x) { return std::erf(x); }
};

struct ErfcOp {
  template <class T>
  static T Do(T x) {
    return std::erfc(x);
  }
};

struct LgammaOp {
  // The plain lgamma writes a global variable.
  static float Do(float x) {
    int sign;
    return ::lgammaf_r(x, &sign);
  }
  static double Do(double x) {
    int sign;
    return ::lgamma_r(x, &sign);
  }
};

double Digamma(double x) {
  if (std::isnan(x) || x == std::numeric_limits<double>::infinity()) return x;
  double result = 0;
  if (x <= 0) {
    if (x == std::floor(x)) return std::numeric_limits<double>::quiet_NaN();
    // psi(x) = psi(1 - x) - pi / tan(pi x); the tangent has period 1.
    const double fraction = x - std::floor(x);
    if (fraction != 0.5) result = -M_PI / std::tan(M_PI * fraction);
    x = 1 - x;
  }
  // psi(x) = psi(x + 1) - 1 / x, up to where the asymptotic series is exact.
  for (; x < 10; x += 1) result -= 1 / x;
  const double t = 1 / (x * x);
  const double series =
      t * (1.0 / 12 -
           t * (1.0 / 120 -
                t * (1.0 / 252 -
                     t * (1.0 / 240 - t * (1.0 / 132 - t * 691.0 / 32760)))));
  return result + std::log(x) - 0.5 / x - series;
}

struct DigammaOp {
  template <class T>
  static T Do(T x) {
    return static_cast<T>(Digamma(x));
  }
};

constexpr UnaryTable kErf = MakeUnaryTable<ErfOp>(RealLoops(), 600);
constexpr UnaryTable kErfc = MakeUnaryTable<ErfcOp>(RealLoops(), 15000);
constexpr UnaryTable kLgamma = MakeUnaryTable<LgammaOp>(RealLoops(), 25000);
constexpr UnaryTable kDigamma = MakeUnaryTable<DigammaOp>(RealLoops(), 40000);

}  // namespace
}  // namespace millrace::ops

using namespace millrace;       // NOLINT: declarations stand outside
using namespace millrace::ops;  // NOLINT

MR_KERNELS(Erf, Cpu){{.make = MakeUnary<kErf>}};
MR_KERNELS(Erfc, Cpu){{.make = MakeUnary<kErfc>}};
MR_KERNELS(Lgamma, Cpu){
    {.types = "T: half, float, double", .make = MakeUnary<kLgamma>}};
MR_KERNELS(Digamma, Cpu){
    {.types = "T: half, float, double", .make = MakeUnary<kDigamma>}};
