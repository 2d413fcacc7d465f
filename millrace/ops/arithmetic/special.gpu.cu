// Special functions of double; other types are rounded from it. Needs
// unary.gpu.cu and special_functions.shared.h.
//
// Texts: elementwise/program.gpu.cu arithmetic/unary.gpu.cu
//      arithmetic/special_functions.shared.h
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

using namespace millrace::ops::special;

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
