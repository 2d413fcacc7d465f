#include "millrace/ops/arithmetic/special_functions.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace millrace::ops::special {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kTiny = 1e-300;
constexpr double kEpsilon = 1e-16;
constexpr int kMaxTerms = 100000;

// Returns the series of P(a, x), which converges well for x below about a.
double GammaSeries(double a, double x) {
  double term = 1 / a;
  double sum = term;
  for (int n = 1; n < kMaxTerms && term > sum * kEpsilon; ++n) {
    term *= x / (a + n);
    sum += term;
  }
  return sum * std::exp(a * std::log(x) - x - LogGamma(a));
}

// Returns the continued fraction of Q(a, x) by Lentz's method, which converges
// well for x above a.
double GammaFraction(double a, double x) {
  double b = x + 1 - a;
  double c = 1 / kTiny;
  double d = 1 / b;
  double h = d;
  for (int i = 1; i < kMaxTerms; ++i) {
    const double an = -i * (i - a);
    b += 2;
    d = an * d + b;
    if (std::fabs(d) < kTiny) d = kTiny;
    c = b + an / c;
    if (std::fabs(c) < kTiny) c = kTiny;
    d = 1 / d;
    h *= d * c;
    if (std::fabs(d * c - 1) < kEpsilon) break;
  }
  return h * std::exp(a * std::log(x) - x - LogGamma(a));
}

// Returns the continued fraction of the incomplete beta function by Lentz's
// method.
double BetaFraction(double a, double b, double x) {
  double c = 1;
  double d = 1 - (a + b) * x / (a + 1);
  if (std::fabs(d) < kTiny) d = kTiny;
  d = 1 / d;
  double h = d;
  for (int m = 1; m < kMaxTerms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 + even * d;
    if (std::fabs(d) < kTiny) d = kTiny;
    c = 1 + even / c;
    if (std::fabs(c) < kTiny) c = kTiny;
    d = 1 / d;
    h *= d * c;
    const double odd =
        -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 + odd * d;
    if (std::fabs(d) < kTiny) d = kTiny;
    c = 1 + odd / c;
    if (std::fabs(c) < kTiny) c = kTiny;
    d = 1 / d;
    h *= d * c;
    if (std::fabs(d * c - 1) < kEpsilon) break;
  }
  return h;
}

}  // namespace

double LogGamma(double x) {
  int sign;  // plain lgamma writes a global variable
  return ::lgamma_r(x, &sign);
}

double Digamma(double x) {
  if (std::isnan(x) || x == kInf) return x;
  double result = 0;
  if (x <= 0) {
    if (x == std::floor(x)) return kNan;
    // psi(x) = psi(1 - x) - pi / tan(pi x); the tangent has period 1.
    const double fraction = x - std::floor(x);
    if (fraction != 0.5) result = -M_PI / std::tan(M_PI * fraction);
    x = 1 - x;
  }
  // psi(x) = psi(x + 1) - 1 / x takes x to where the asymptotic series is
  // exact.
  for (; x < 10; x += 1) result -= 1 / x;
  const double t = 1 / (x * x);
  const double series =
      t * (1.0 / 12 -
           t * (1.0 / 120 -
                t * (1.0 / 252 -
                     t * (1.0 / 240 - t * (1.0 / 132 - t * 691.0 / 32760)))));
  return result + std::log(x) - 0.5 / x - series;
}

double Polygamma(double n, double x) {
  if (!(n >= 0) || n != std::floor(n)) return kNan;
  if (n == 0) return Digamma(x);
  const double sign = std::fmod(n, 2) == 0 ? -1 : 1;
  return sign * std::exp(LogGamma(n + 1)) * Zeta(n + 1, x);
}

double Zeta(double x, double q) {
  if (x == 1) return kInf;
  if (!(x > 1) || std::isnan(q)) return kNan;
  if (q <= 0) {
    // The signs differ on both sides of a pole of odd order.
    if (q == std::floor(q)) return std::fmod(x, 2) == 0 ? kInf : kNan;
    if (x != std::floor(x)) return kNan;
  }
  // Adds the first terms, then the rest by the Euler-Maclaurin formula.
  double sum = 0;
  double a = q;
  for (int i = 0; i < 12 || a <= 9; ++i, a += 1) {
    const double term = std::pow(a, -x);
    sum += term;
    if (a > 9 && term < sum * kEpsilon) return sum;
  }
  const double power = std::pow(a, -x);
  sum += a * power / (x - 1) + 0.5 * power;
  // B(2k) / (2k)!
  constexpr double kBernoulli[] = {
      1.0 / 12,
      -1.0 / 720,
      1.0 / 30240,
      -1.0 / 1209600,
      1.0 / 47900160,
      -691.0 / 1307674368000.0,
      1.0 / 74724249600.0,
      -3617.0 / 10670622842880000.0,
      43867.0 / 5109094217170944000.0,
  };
  double factor = power;
  double k = 0;
  for (double coefficient : kBernoulli) {
    factor *= (x + k) / a;
    const double term = coefficient * factor;
    sum += term;
    if (std::fabs(term) < std::fabs(sum) * kEpsilon) break;
    factor *= (x + k + 1) / a;
    k += 2;
  }
  return sum;
}

double IncompleteGamma(double a, double x) {
  if (x == 0) return 0;
  if (!(x > 0) || !(a > 0)) return kNan;
  if (a == kInf) return x == kInf ? kNan : 0;
  if (x == kInf) return 1;
  return x < a + 1 ? GammaSeries(a, x) : 1 - GammaFraction(a, x);
}

double IncompleteGammaComplement(double a, double x) {
  if (!(x >= 0) || !(a > 0)) return kNan;
  if (a == kInf) return x == kInf ? kNan : 1;
  if (x == kInf) return 0;
  if (x == 0) return 1;
  return x < a + 1 ? 1 - GammaSeries(a, x) : GammaFraction(a, x);
}

double IncompleteBeta(double a, double b, double x) {
  if (!(a > 0) || !(b > 0) || !(x >= 0) || !(x <= 1)) return kNan;
  if (a == kInf || b == kInf) return kNan;
  if (x == 0 || x == 1) return x;
  const double front = std::exp(LogGamma(a + b) - LogGamma(a) - LogGamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  // The fraction converges fast on only one side of the mean.
  if (x < (a + 1) / (a + b + 2)) return front * BetaFraction(a, b, x) / a;
  return 1 - front * BetaFraction(b, a, 1 - x) / b;
}

double InverseErfc(double p) {
  if (!(p >= 0) || !(p <= 2)) return kNan;
  if (p == 0) return kInf;
  if (p == 2) return -kInf;
  if (p > 1) return -InverseErfc(2 - p);
  // Takes a rational estimate within 5e-4 (Abramowitz and Stegun 26.2.23), then
  // steps of Halley's method, each of which triples the digits.
  const double t = std::sqrt(-2 * std::log(p / 2));
  double x = t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                     (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
  x *= M_SQRT1_2;
  for (int i = 0; i < 3; ++i) {
    const double error = std::erfc(x) - p;
    const double slope = -M_2_SQRTPI * std::exp(-x * x);
    const double step = error / slope;
    x -= step / (1 + x * step);
  }
  return x;
}

double InverseErf(double x) {
  if (std::fabs(x) > 0.5) return InverseErfc(1 - x);
  if (!(std::fabs(x) <= 1)) return kNan;
  // Near 0 the complement would lose digits.
  double y = x / M_2_SQRTPI;
  for (int i = 0; i < 4; ++i) {
    const double step = (std::erf(y) - x) / (M_2_SQRTPI * std::exp(-y * y));
    y -= step / (1 + y * step);
  }
  return y;
}

}  // namespace millrace::ops::special
