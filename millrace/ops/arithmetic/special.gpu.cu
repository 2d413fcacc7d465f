// Special functions of double, by the CPU's series and continued fractions;
// other types are rounded from it. Needs unary.gpu.cu.
//
// Texts: elementwise/program.gpu.cu arithmetic/unary.gpu.cu
// Defines: X0 = X; X = half float double; Z = X;
//      SPECIAL_RESULT = "Apply<op::Digamma>(x0[i])"
//      "Apply<op::BesselI0e>(x0[i])" "Apply<op::BesselI1e>(x0[i])"
// Defines: X0 = X; X = float double; Z = X;
//      SPECIAL_RESULT = "Apply<op::Erfinv>(x0[i])" "Apply<op::Ndtri>(x0[i])"
//      "Apply<op::Igamma>(x0[i], x1[i])" "Apply<op::Igammac>(x0[i], x1[i])"
//      "Apply<op::IgammaGradA>(x0[i], x1[i])"
//      "Apply<op::RandomGammaGrad>(x0[i], x1[i])" "Apply<op::Zeta>(x0[i],
//      x1[i])" "Apply<op::Polygamma>(x0[i], x1[i])" "Apply<op::Betainc>(x0[i],
//      x1[i], x2[i])"

namespace special {

#define kNan QuietNan<double>()
#define kInf Infinity<double>()
constexpr double kPi = 3.14159265358979323846;

__device__ double Zeta(double x, double q);

constexpr double kTiny = 1e-300;
constexpr double kEpsilon = 1e-16;
constexpr int kMaxTerms = 100000;

// Returns the series of P(a, x), which converges well for x below about a.
__device__ double GammaSeries(double a, double x) {
  double term = 1 / a;
  double sum = term;
  for (int n = 1; n < kMaxTerms && term > sum * kEpsilon; ++n) {
    term *= x / (a + n);
    sum += term;
  }
  return sum * exp(a * log(x) - x - lgamma(a));
}

// Returns the continued fraction of Q(a, x) by Lentz's method, which converges
// well for x above a.
__device__ double GammaFraction(double a, double x) {
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
  return h * exp(a * log(x) - x - lgamma(a));
}

// Returns the continued fraction of the incomplete beta function by Lentz's
// method.
__device__ double BetaFraction(double a, double b, double x) {
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

__device__ double Digamma(double x) {
  if (IsNan(x) || x == kInf) return x;
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

__device__ double Polygamma(double n, double x) {
  if (!(n >= 0) || n != floor(n)) return kNan;
  if (n == 0) return Digamma(x);
  const double sign = fmod(n, 2) == 0 ? -1 : 1;
  return sign * exp(lgamma(n + 1)) * Zeta(n + 1, x);
}

__device__ double Zeta(double x, double q) {
  if (x == 1) return kInf;
  if (!(x > 1) || IsNan(q)) return kNan;
  if (q <= 0) {
    // The signs differ on both sides of a pole of odd order.
    if (q == floor(q)) return fmod(x, 2) == 0 ? kInf : kNan;
    if (x != floor(x)) return kNan;
  }
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

__device__ double IncompleteGamma(double a, double x) {
  if (x == 0) return 0;
  if (!(x > 0) || !(a > 0)) return kNan;
  if (a == kInf) return x == kInf ? kNan : 0;
  if (x == kInf) return 1;
  return x < a + 1 ? GammaSeries(a, x) : 1 - GammaFraction(a, x);
}

__device__ double IncompleteGammaComplement(double a, double x) {
  if (!(x >= 0) || !(a > 0)) return kNan;
  if (a == kInf) return x == kInf ? kNan : 1;
  if (x == kInf) return 0;
  if (x == 0) return 1;
  return x < a + 1 ? 1 - GammaSeries(a, x) : GammaFraction(a, x);
}

__device__ double IncompleteBeta(double a, double b, double x) {
  if (!(a > 0) || !(b > 0) || !(x >= 0) || !(x <= 1)) return kNan;
  if (a == kInf || b == kInf) return kNan;
  if (x == 0 || x == 1) return x;
  const double front =
      exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
  // The fraction converges fast on only one side of the mean.
  if (x < (a + 1) / (a + b + 2)) return front * BetaFraction(a, b, x) / a;
  return 1 - front * BetaFraction(b, a, 1 - x) / b;
}

__device__ double InverseErfc(double p) {
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

__device__ double InverseErf(double x) {
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

// A number and its derivative by alpha.
struct Dual {
  double value, slope;
};

// From this alpha on, the expansion for large alpha is as accurate as the sums,
// whose number of terms grows with the square root of alpha.
constexpr double kLargeAlpha = 1e5;
// Bounds the number of terms; no sum below kLargeAlpha needs as many.
constexpr int kMaxSlopeTerms = 10000;

// Returns the power series of the lower incomplete gamma function: the sum of
// x^n / ((a + 1) ... (a + n)).
__device__ Dual Series(double a, double x) {
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
__device__ Dual Fraction(double a, double x) {
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
    if (!IsFinite(q.value) || !IsFinite(q.slope)) break;
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
      for (int i = 0; i < 4; ++i) {
        all[i]->value *= 0x1p-52;
        all[i]->slope *= 0x1p-52;
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
__device__ double LargeSlope(double a, double x) {
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

// Returns d sample / d alpha = -(dP/da) / p of the sample `x`, where P(a, x) is
// the distribution function and p its density; the common factors of both
// cancel out. The relative error is about 1e-11. Returns NaN if `x` is not a
// sample. Takes about 10 us at most.
__device__ double GammaSampleSlope(double a, double x) {
  if (IsNan(a) || IsNan(x) || a <= 0 || x < 0) {
    return kNan;
  }
  if (x == 0) return 0;
  if (a >= kLargeAlpha) return LargeSlope(a, x);
  if (x > 1 && x > a) {
    const Dual f = Fraction(a, x);
    return (f.slope + f.value * (log(x) - Digamma(a))) * x;
  }
  const Dual s = Series(a, x);
  return -(s.slope + s.value * (log(x) - Digamma(a + 1))) * x / a;
}

// Returns dP(a, x) / da: the derivative of the sample times minus the density
// at it. Returns NaN outside of the function's domain and 0 at both ends of x.
__device__ double IncompleteGammaSlope(double a, double x) {
  if (x == 0) return 0;
  if (IsNan(a) || IsNan(x) || a <= 0 || x < 0) {
    return kNan;
  }
  if (IsInf(a) || IsInf(x)) {
    return IsInf(a) && IsInf(x) ? kNan : 0;
  }
  const double density = exp((a - 1) * log(x) - x - lgamma(a));
  return density == 0 ? 0 : -density * GammaSampleSlope(a, x);
}

// From here on the smallest term of the expansion is below a rounding error.
constexpr double kBesselLarge = 20;
constexpr double kBesselPrecision = 1e-17;

// Returns exp(-x) times the function of order 0 or 1 of x >= 0.
__device__ double ScaledBessel(int order, double x) {
  double term = 1, sum = 1;
  if (x < kBesselLarge) {
    const double square = x * x / 4;
    for (int k = 1; term > kBesselPrecision * sum; ++k) {
      term *= square / (static_cast<double>(k) * (k + order));
      sum += term;
    }
    return (order == 0 ? sum : sum * (x / 2)) * exp(-x);
  }
  constexpr int kMostTerms = 40;
  for (int k = 1; k < kMostTerms && fabs(term) > kBesselPrecision * fabs(sum);
       ++k) {
    const double odd = 2 * k - 1;
    term *= (odd * odd - 4 * order) / (8 * k * x);
    sum += term;
  }
  constexpr double kRootOfTwoPi = 2.50662827463100050242;
  return sum / (sqrt(x) * kRootOfTwoPi);
}

#undef kNan
#undef kInf
}  // namespace special

namespace op {

#define SPECIAL_UNARY(Name, result)                \
  struct Name {                                    \
    template <class T>                             \
    MR_DEVICE static T Do(T value) {               \
      const double x = static_cast<double>(value); \
      return static_cast<T>(result);               \
    }                                              \
  };
#define SPECIAL_BINARY(Name, result)                \
  struct Name {                                     \
    template <class T>                              \
    MR_DEVICE static T Do(T first, T second) {      \
      const double x = static_cast<double>(first);  \
      const double y = static_cast<double>(second); \
      return static_cast<T>(result);                \
    }                                               \
  };
SPECIAL_UNARY(Digamma, special::Digamma(x))
SPECIAL_UNARY(Erfinv, special::InverseErf(x))
SPECIAL_UNARY(Ndtri, -1.41421356237309504880 * special::InverseErfc(2 * x))
SPECIAL_UNARY(BesselI0e, special::ScaledBessel(0, fabs(x)))
SPECIAL_UNARY(BesselI1e,
              (x < 0 ? -1.0 : 1.0) * special::ScaledBessel(1, fabs(x)))
SPECIAL_BINARY(Igamma, special::IncompleteGamma(x, y))
SPECIAL_BINARY(Igammac, special::IncompleteGammaComplement(x, y))
SPECIAL_BINARY(IgammaGradA, special::IncompleteGammaSlope(x, y))
SPECIAL_BINARY(RandomGammaGrad, special::GammaSampleSlope(x, y))
SPECIAL_BINARY(Zeta, special::Zeta(x, y))
SPECIAL_BINARY(Polygamma, special::Polygamma(x, y))
#undef SPECIAL_UNARY
#undef SPECIAL_BINARY

struct Betainc {
  template <class T>
  MR_DEVICE static T Do(T a, T b, T x) {
    return static_cast<T>(special::IncompleteBeta(static_cast<double>(a),
                                                  static_cast<double>(b),
                                                  static_cast<double>(x)));
  }
};

}  // namespace op

#ifdef SPECIAL_RESULT
SAMPLE_PROGRAM(X0, X, Z, SPECIAL_RESULT)
#endif
