// The functions of special_functions.h on any device:
// special_functions.cpu.cc includes this, and it stands before special.gpu.cu
// in texts for GPUs, which have the prelude's MR_DEVICE. So it includes
// nothing.
#pragma once

#ifdef MR_DEVICE
#define MR_SPECIAL __device__
#else
#define MR_SPECIAL
#endif

namespace millrace::ops::special {

#ifdef MR_DEVICE
MR_SPECIAL double LogGamma(double x) { return lgamma(x); }
#endif

namespace {

#ifdef MR_DEVICE
#define kNan QuietNan<double>()
#define kInf Infinity<double>()
#else
constexpr double kInf = HUGE_VAL;
constexpr double kNan = NAN;
#endif
constexpr double kPi = 3.14159265358979323846;
constexpr double kTiny = 1e-300;
constexpr double kEpsilon = 1e-16;
constexpr int kMaxTerms = 100000;
constexpr double kMostTermsBelow0 = 1000;  // of Zeta

// Returns the series of P(a, x), which converges well for x below about a.
MR_SPECIAL double GammaSeries(double a, double x) {
  double term = 1 / a;
  double sum = term;
  for (int n = 1; n < kMaxTerms && term > sum * kEpsilon; ++n) {
    term *= x / (a + n);
    sum += term;
  }
  return sum * exp(a * log(x) - x - LogGamma(a));
}

// Returns the continued fraction of Q(a, x) by Lentz's method, which converges
// well for x above a.
MR_SPECIAL double GammaFraction(double a, double x) {
  double b = x + 1 - a;
  double c = 1 / kTiny;
  double d = 1 / b;
  double h = d;
  for (int i = 1; i < kMaxTerms; ++i) {
    const double an = -i * (i - a);
    b += 2;
    d = an * d + b;
    if (fabs(d) < kTiny) d = kTiny;
    c = b + an / c;
    if (fabs(c) < kTiny) c = kTiny;
    d = 1 / d;
    h *= d * c;
    if (fabs(d * c - 1) < kEpsilon) break;
  }
  return h * exp(a * log(x) - x - LogGamma(a));
}

// Returns the continued fraction of the incomplete beta function by Lentz's
// method.
MR_SPECIAL double BetaFraction(double a, double b, double x) {
  double c = 1;
  double d = 1 - (a + b) * x / (a + 1);
  if (fabs(d) < kTiny) d = kTiny;
  d = 1 / d;
  double h = d;
  for (int m = 1; m < kMaxTerms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 + even * d;
    if (fabs(d) < kTiny) d = kTiny;
    c = 1 + even / c;
    if (fabs(c) < kTiny) c = kTiny;
    d = 1 / d;
    h *= d * c;
    const double odd =
        -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 + odd * d;
    if (fabs(d) < kTiny) d = kTiny;
    c = 1 + odd / c;
    if (fabs(c) < kTiny) c = kTiny;
    d = 1 / d;
    h *= d * c;
    if (fabs(d * c - 1) < kEpsilon) break;
  }
  return h;
}

// Returns Zeta for q above -kMostTermsBelow0 that is no pole, and x above 1.
// Not inlined, since it is long.
MR_SPECIAL __attribute__((noinline)) double NearZeta(double x, double q) {
  // Adds the first terms, then the rest by the Euler-Maclaurin formula.
  double sum = 0;
  double a = q;
  for (int i = 0; i < 12 || a <= 9; ++i, a += 1) {
    const double term = pow(a, -x);
    sum += term;
    if (a > 9 && term < sum * kEpsilon) return sum;
  }
  const double power = pow(a, -x);
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
    if (fabs(term) < fabs(sum) * kEpsilon) break;
    factor *= (x + k + 1) / a;
    k += 2;
  }
  return sum;
}

}  // namespace

MR_SPECIAL double Digamma(double x) {
  if (x != x || x == kInf) return x;
  double result = 0;
  if (x <= 0) {
    if (x == floor(x)) return kNan;
    // psi(x) = psi(1 - x) - pi / tan(pi x); the tangent has period 1.
    const double fraction = x - floor(x);
    if (fraction != 0.5) result = -kPi / tan(kPi * fraction);
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
  return result + log(x) - 0.5 / x - series;
}

MR_SPECIAL double Zeta(double x, double q) {
  if (x == 1) return kInf;
  if (!(x > 1) || q != q) return kNan;
  if (q <= 0) {
    // The signs differ on both sides of a pole of odd order.
    if (q == floor(q)) return fmod(x, 2) == 0 ? kInf : kNan;
    if (x != floor(x)) return kNan;
  }
  if (q >= -kMostTermsBelow0) return NearZeta(x, q);
  // The terms up to 0 are too many to be added one by one. They are those of
  // two sums that begin above 0, since x is whole here: of (fraction - i)^-x
  // for i = 1 ... -floor(q).
  const double fraction = q - floor(q);
  const double below = NearZeta(x, 1 - fraction) - NearZeta(x, 1 - q);
  return NearZeta(x, fraction) + (fmod(x, 2) == 1 ? -below : below);
}

MR_SPECIAL double Polygamma(double n, double x) {
  if (!(n >= 0) || n != floor(n)) return kNan;
  if (n == 0) return Digamma(x);
  const double sign = fmod(n, 2) == 0 ? -1 : 1;
  return sign * exp(LogGamma(n + 1)) * Zeta(n + 1, x);
}

MR_SPECIAL double IncompleteGamma(double a, double x) {
  if (x == 0) return 0;
  if (!(x > 0) || !(a > 0)) return kNan;
  if (a == kInf) return x == kInf ? kNan : 0;
  if (x == kInf) return 1;
  return x < a + 1 ? GammaSeries(a, x) : 1 - GammaFraction(a, x);
}

MR_SPECIAL double IncompleteGammaComplement(double a, double x) {
  if (!(x >= 0) || !(a > 0)) return kNan;
  if (a == kInf) return x == kInf ? kNan : 1;
  if (x == kInf) return 0;
  if (x == 0) return 1;
  return x < a + 1 ? 1 - GammaSeries(a, x) : GammaFraction(a, x);
}

MR_SPECIAL double IncompleteBeta(double a, double b, double x) {
  if (!(a > 0) || !(b > 0) || !(x >= 0) || !(x <= 1)) return kNan;
  if (a == kInf || b == kInf) return kNan;
  if (x == 0 || x == 1) return x;
  const double front = exp(LogGamma(a + b) - LogGamma(a) - LogGamma(b) +
                           a * log(x) + b * log1p(-x));
  // The fraction converges fast on only one side of the mean.
  if (x < (a + 1) / (a + b + 2)) return front * BetaFraction(a, b, x) / a;
  return 1 - front * BetaFraction(b, a, 1 - x) / b;
}

MR_SPECIAL double InverseErfc(double p) {
  if (!(p >= 0) || !(p <= 2)) return kNan;
  if (p == 0) return kInf;
  if (p == 2) return -kInf;
  const bool is_negative = p > 1;
  if (is_negative) p = 2 - p;
  // Takes a rational estimate within 5e-4 (Abramowitz and Stegun 26.2.23), then
  // steps of Halley's method, each of which triples the digits.
  const double t = sqrt(-2 * log(p / 2));
  double x = t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                     (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
  x *= 0.70710678118654752440;
  for (int i = 0; i < 3; ++i) {
    const double error = erfc(x) - p;
    const double slope = -1.12837916709551257390 * exp(-x * x);
    const double step = error / slope;
    x -= step / (1 + x * step);
  }
  return is_negative ? -x : x;
}

MR_SPECIAL double InverseErf(double x) {
  if (fabs(x) > 0.5) return InverseErfc(1 - x);
  if (!(fabs(x) <= 1)) return kNan;
  // Near 0 the complement would lose digits.
  double y = x / 1.12837916709551257390;
  for (int i = 0; i < 4; ++i) {
    const double step = (erf(y) - x) / (1.12837916709551257390 * exp(-y * y));
    y -= step / (1 + y * step);
  }
  return y;
}

}  // namespace millrace::ops::special

#undef MR_SPECIAL
