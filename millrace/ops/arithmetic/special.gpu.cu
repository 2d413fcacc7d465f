// Special functions of double; other types are rounded from it. Needs
// unary.gpu.cu, special_functions.shared.h and gamma_slope.shared.h.
//
// Texts: elementwise/program.gpu.cu arithmetic/unary.gpu.cu
//      arithmetic/special_functions.shared.h arithmetic/gamma_slope.shared.h
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
SPECIAL_BINARY(IgammaGradA, millrace::ops::IncompleteGammaSlope(x, y))
SPECIAL_BINARY(RandomGammaGrad, millrace::ops::GammaSampleSlope(x, y))
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
