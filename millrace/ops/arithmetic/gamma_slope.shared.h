// The functions of gamma_slope.h on any device: gamma_slope.h includes this,
// and it stands between special_functions.shared.h and special.gpu.cu in texts
// for GPUs, which have the prelude's MR_DEVICE. So it includes nothing.
#pragma once

#ifdef MR_DEVICE
#define MR_SLOPE __device__
#define MR_SLOPE_NAN QuietNan<double>()
#else
#define MR_SLOPE inline
#define MR_SLOPE_NAN NAN
#endif

namespace millrace::ops {
namespace gamma_slope {

// A number and its derivative by alpha.
struct Dual {
  double value, slope;
};

// From this alpha on, the expansion for large alpha is as accurate as the sums,
// whose number of terms grows with the square root of alpha.
constexpr double kLargeAlpha = 1e5;
// Bounds the number of terms; no sum below kLargeAlpha needs as many.
constexpr int kMaxSlopeTerms = 10000;

// Returns whether `x` is neither NaN nor infinite.
MR_SLOPE bool IsNumber(double x) { return x - x == 0; }

// Returns the power series of the lower incomplete gamma function: the sum of
// x^n / ((a + 1) ... (a + n)).
MR_SLOPE Dual Series(double a, double x) {
  Dual term{1, 0};
  Dual sum = term;
  for (int n = 1; n < kMaxSlopeTerms; ++n) {
    const double r = a + n;
    term.slope = term.slope * (x / r) - term.value * x / (r * r);
    term.value *= x / r;
    sum.value += term.value;
    sum.slope += term.slope;
    if (fabs(term.slope) <= 1e-17 * fabs(sum.slope) &&
        term.value <= 1e-17 * sum.value) {
      break;
    }
  }
  return sum;
}

// Returns the continued fraction of the upper incomplete gamma function,
// evaluated from the front.
MR_SLOPE Dual Fraction(double a, double x) {
  // Two results that differ by rounding errors only differ by at most this.
  constexpr double kNoise = 1e-15;
  double y = 1 - a;
  double z = x + y + 1;
  Dual p2{1 / x, 0}, q2{1, 0};
  Dual p1{1 + 1 / x, 0}, q1{z, -1};
  Dual ratio{p1.value / q1.value, 0};
  ratio.slope = (p1.slope - ratio.value * q1.slope) / q1.value;
  for (int n = 1; n < kMaxSlopeTerms; ++n) {
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
    if (!IsNumber(q.value) || !IsNumber(q.slope)) break;
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
      const double parts = (fabs(p.slope) + fabs(taken)) / fabs(q.value);
      if (fabs(ratio.slope - before.slope) <= kNoise * parts &&
          fabs(ratio.value - before.value) <= kNoise * fabs(ratio.value)) {
        break;
      }
    }
    if (fabs(q.value) > 0x1p+52) {
      Dual* const all[] = {&p1, &p2, &q1, &q2};
      for (Dual* const d : all) {
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
MR_SLOPE double LargeSlope(double a, double x) {
  const double m = (x - a) / a;
  const double l = x / a;
  const double of_l = l > 0.5 && l < 2 ? log1p(m) : log(x) - log(a);
  const double first = x == a ? 1 : x / (x - a) * of_l;
  double rest;
  if (fabs(m) < 0.01) {  // a quotient would consist of rounding errors
    rest = -1.0 / 3 + m * (1.0 / 6 - m * (1.0 / 10 - m / 15));
  } else {
    rest = (1 - l * (2 * ((m - of_l) / m) / m)) / m;
  }
  return first - l * rest / (2 * a);
}

}  // namespace gamma_slope

// Returns d sample / d alpha = -(dP/da) / p of the sample `x`, where P(a, x) is
// the distribution function and p its density; the common factors of both
// cancel out. The relative error is about 1e-11. Returns NaN if `x` is not a
// sample. Takes about 10 us at most.
MR_SLOPE double GammaSampleSlope(double a, double x) {
  if (a != a || x != x || a <= 0 || x < 0) {
    return MR_SLOPE_NAN;
  }
  if (x == 0) return 0;
  if (a >= gamma_slope::kLargeAlpha) return gamma_slope::LargeSlope(a, x);
  if (x > 1 && x > a) {
    const gamma_slope::Dual f = gamma_slope::Fraction(a, x);
    return (f.slope + f.value * (log(x) - special::Digamma(a))) * x;
  }
  const gamma_slope::Dual s = gamma_slope::Series(a, x);
  return -(s.slope + s.value * (log(x) - special::Digamma(a + 1))) * x / a;
}

// Returns dP(a, x) / da: the derivative of the sample times minus the density
// at it. Returns NaN outside of the function's domain and 0 at both ends of x.
MR_SLOPE double IncompleteGammaSlope(double a, double x) {
  if (x == 0) return 0;
  if (a != a || x != x || a <= 0 || x < 0) {
    return MR_SLOPE_NAN;
  }
  const bool is_large = !gamma_slope::IsNumber(a);  // infinite
  if (is_large || !gamma_slope::IsNumber(x)) {
    return is_large && !gamma_slope::IsNumber(x) ? MR_SLOPE_NAN : 0;
  }
  const double density = exp((a - 1) * log(x) - x - special::LogGamma(a));
  return density == 0 ? 0 : -density * GammaSampleSlope(a, x);
}

}  // namespace millrace::ops

#undef MR_SLOPE
#undef MR_SLOPE_NAN
