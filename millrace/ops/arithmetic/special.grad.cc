// Gradients of incomplete gamma and beta functions and other special functions.
// A parameter by which stock has no derivative has no gradient here either.
#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {
namespace {

constexpr double kRootPi = 1.77245385090551602730;
constexpr double kRootTwoPi = 2.50662827463100050242;

enum class Tail { kLower, kUpper };

// Sets the gradients of P(a, x), or of 1 - P(a, x), whose sign is opposite. The
// density is computed as an exponential, since gamma(a) soon overflows.
void SetIncompleteGamma(GradContext& g, Tail tail) {
  const Output a = g.in(0), x = g.in(1);
  const Output dy = tail == Tail::kUpper ? Output(Neg(g, g.dy())) : g.dy();
  const Output log_density =
      Sub(g, Sub(g, Mul(g, Sub(g, a, 1), Log(g, x)), x), Lgamma(g, a));
  SetBroadcast(g, Mul(g, dy, IgammaGradA(g, a, x)),
               Mul(g, dy, Exp(g, log_density)));
}

// Sets the gradient of the second of two operands alone.
void SetSecond(GradContext& g, const Output& slope) {
  g.Set(1,
        ReduceBroadcast(g, g.in(0), g.in(1), {}, Mul(g, g.dy(), slope)).second);
}

// Sets the gradient to dy * factor * exp(scale * square(y)): the slope of the
// inverse of an integral of a Gaussian.
void SetInverse(GradContext& g, double factor, double scale) {
  const Output exponent = Mul(g, Square(g, g.out()), scale);
  g.Set(0, Mul(g, Mul(g, g.dy(), factor), Exp(g, exponent)));
}

}  // namespace

MR_GRADIENT(Igamma)(GradContext& g) { SetIncompleteGamma(g, Tail::kLower); }
MR_GRADIENT(Igammac)(GradContext& g) { SetIncompleteGamma(g, Tail::kUpper); }

MR_GRADIENT(Zeta)(GradContext& g) {
  const Output x = g.in(0);
  SetSecond(g, Neg(g, Mul(g, x, Zeta(g, AddV2(g, x, 1), g.in(1)))));
}
MR_GRADIENT(Polygamma)(GradContext& g) {
  SetSecond(g, Polygamma(g, AddV2(g, g.in(0), 1), g.in(1)));
}

// The gradient by x alone is (1 - x)^(b - 1) x^(a - 1) / B(a, b), with 0^0 = 1.
MR_GRADIENT(Betainc)(GradContext& g) {
  const Output a = g.in(0), b = g.in(1), x = g.in(2);
  const Output log_beta =
      Sub(g, AddV2(g, Lgamma(g, a), Lgamma(g, b)), Lgamma(g, AddV2(g, a, b)));
  const Output log_powers =
      AddV2(g, Xlog1py(g, Sub(g, b, 1), Neg(g, x)), Xlogy(g, Sub(g, a, 1), x));
  const Output slope = Exp(g, Sub(g, log_powers, log_beta));
  g.Set(2, ReduceBroadcast(g, x, g.out(), Mul(g, g.dy(), slope), {}).first);
}

MR_GRADIENT(NextAfter)(GradContext& g) {
  g.Set(0, ReduceBroadcast(g, g.in(0), g.in(1), g.dy(), {}).first);
  g.Set(1, ZerosLike(g, g.in(1)));
}

MR_GRADIENT(Erfinv)(GradContext& g) { SetInverse(g, kRootPi / 2, 1); }
MR_GRADIENT(Ndtri)(GradContext& g) { SetInverse(g, kRootTwoPi, 0.5); }

}  // namespace millrace::ops
