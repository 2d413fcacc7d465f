// Derivatives by a of the incomplete gamma function P(a, x), and of its inverse
// by x, which is a sample of a gamma distribution.
#pragma once

#include <cmath>
#include <initializer_list>
#include <limits>

#include "millrace/ops/arithmetic/special_functions.h"

namespace millrace::ops {
namespace gamma_slope {

// A number and its derivative by alpha.
struct Dual {
  double value, slope;
};

// From this alpha on, the expansion for large alpha is as accurate as the sums,
// whose number of terms grows with the square root of alpha.
inline constexpr double kLargeAlpha = 1e5;
// Bounds the number of terms; no sum below kLargeAlpha needs as many.
inline constexpr int kMaxTerms = 10000;

// Returns the power series of the lower incomplete gamma function: the sum of
// x^n / ((a + 1) ... (a + n)).
inline Dual Series(double a, double x) {
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

// Returns the continued fraction of the upper incomplete gamma function,
// evaluated from the front.
inline Dual Fraction(double a, double x) {
  // Two results that differ by rounding errors only differ by at most this.
  constexpr double kNoise = 1e-15;
  double y = 1 - a;
  double z = x + y + 1;
  Dual p2{1 / x, 0}, q2{1, 0};
  Dual p1{1 + 1 / x, 0}, q1{z, -1};
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
    // The numbers have overflowed: either the first ratio is already the
    // result, or there is none.
    if (!std::isfinite(q.value) || !std::isfinite(q.slope)) break;
    p2 = p1;
    q2 = q1;
    p1 = p;
    q1 = q;
    if (q.value != 0) {
      const Dual before = ratio;
      ratio.value = p.value / q.value;
      const double taken = ratio.value * q.slope;
      ratio.slope = (p.slope - taken) / q.value;
      // The slope is a difference, so its rounding error is that of its parts.
      const double parts =
          (std::abs(p.slope) + std::abs(taken)) / std::abs(q.value);
      if (std::abs(ratio.slope - before.slope) <= kNoise * parts &&
          std::abs(ratio.value - before.value) <=
              kNoise * std::abs(ratio.value)) {
        break;
      }
    }
    if (std::abs(q.value) > 0x1p+52) {
      for (Dual* d : {&p1, &p2, &q1, &q2}) {
        d->value *= 0x1p-52;
        d->slope *= 0x1p-52;
      }
    }
  }
  return ratio;
}

// Returns the first two terms of the slope in powers of 1 / a, from Temme's
// expansion of the inverse of P ("Asymptotic inversion of incomplete gamma
// functions", 1992). With l = x / a and m = l - 1 they are l log(l) / m and (2
// l (m - log(l)) / m^2 - 1) l / (2 a m). The error relative to the slope is
// below 0.02 / a^2 near x = a and below 0.1 / a^2 elsewhere.
inline double LargeSlope(double a, double x) {
  const double m = (x - a) / a;
  const double l = x / a;
  const double log =
      l > 0.5 && l < 2 ? std::log1p(m) : std::log(x) - std::log(a);
  const double first = x == a ? 1 : x / (x - a) * log;
  double rest;
  if (std::abs(m) < 0.01) {  // a quotient would consist of rounding errors
    rest = -1.0 / 3 + m * (1.0 / 6 - m * (1.0 / 10 - m / 15));
  } else {
    rest = (1 - l * (2 * ((m - log) / m) / m)) / m;
  }
  return first - l * rest / (2 * a);
}

}  // namespace gamma_slope

// Returns d sample / d alpha = -(dP/da) / p of the sample `x`, where P(a, x) is
// the distribution function and p its density; the common factors of both
// cancel out. The relative error is about 1e-11. Returns NaN if `x` is not a
// sample. Takes about 10 us at most.
inline double GammaSampleSlope(double a, double x) {
  if (std::isnan(a) || std::isnan(x) || a <= 0 || x < 0) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (x == 0) return 0;
  if (a >= gamma_slope::kLargeAlpha) return gamma_slope::LargeSlope(a, x);
  if (x > 1 && x > a) {
    const gamma_slope::Dual f = gamma_slope::Fraction(a, x);
    return (f.slope + f.value * (std::log(x) - special::Digamma(a))) * x;
  }
  const gamma_slope::Dual s = gamma_slope::Series(a, x);
  return -(s.slope + s.value * (std::log(x) - special::Digamma(a + 1))) * x / a;
}

// Returns dP(a, x) / da: the derivative of the sample times minus the density
// at it. Returns NaN outside of the function's domain and 0 at both ends of x.
inline double IncompleteGammaSlope(double a, double x) {
  if (x == 0) return 0;
  if (std::isnan(a) || std::isnan(x) || a <= 0 || x < 0) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (std::isinf(a) || std::isinf(x)) {
    return std::isinf(a) && std::isinf(x)
               ? std::numeric_limits<double>::quiet_NaN()
               : 0;
  }
  const double density =
      std::exp((a - 1) * std::log(x) - x - special::LogGamma(a));
  return density == 0 ? 0 : -density * GammaSampleSlope(a, x);
}

}  // namespace millrace::ops
