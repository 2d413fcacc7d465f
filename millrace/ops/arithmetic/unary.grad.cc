// Gradients of elementwise ops of one operand.
#include <cmath>

#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {
namespace {

constexpr double kPi = 3.14159265358979323846;

// Sets dx = dy * conj(slope).
void Slope(GradContext& g, const Output& slope) {
  g.Set(0, Mul(g, g.dy(), ConjOf(g, slope)));
}
Output OneMinusSquare(GradContext& g) { return Sub(g, 1, Square(g, g.in(0))); }

}  // namespace

MR_GRADIENT(Abs)(GradContext& g) { g.Set(0, Mul(g, g.dy(), Sign(g, g.in(0)))); }
MR_GRADIENT(Neg)(GradContext& g) {
  g.Set(0, OfEachElement(g.gradient(),
                         [&](const Output& dy) { return Neg(g, dy); }));
}

MR_GRADIENT(Square)(GradContext& g) { Slope(g, Mul(g, g.in(0), 2)); }
MR_GRADIENT(Sqrt)(GradContext& g) { g.Set(0, SqrtGrad(g, g.out(), g.dy())); }
MR_GRADIENT(Rsqrt)(GradContext& g) { g.Set(0, RsqrtGrad(g, g.out(), g.dy())); }
MR_GRADIENT(Inv)(GradContext& g) { g.Set(0, InvGrad(g, g.out(), g.dy())); }
MR_GRADIENT(Reciprocal)(GradContext& g) {
  g.Set(0, ReciprocalGrad(g, g.out(), g.dy()));
}
MR_GRADIENT(Exp)(GradContext& g) { Slope(g, g.out()); }
MR_GRADIENT(Expm1)(GradContext& g) { Slope(g, Exp(g, g.in(0))); }
MR_GRADIENT(Log)(GradContext& g) { Slope(g, Reciprocal(g, g.in(0))); }
MR_GRADIENT(Log1p)(GradContext& g) {
  Slope(g, Reciprocal(g, AddV2(g, g.in(0), 1)));
}

MR_GRADIENT(Sin)(GradContext& g) { Slope(g, Cos(g, g.in(0))); }
MR_GRADIENT(Cos)(GradContext& g) { Slope(g, Neg(g, Sin(g, g.in(0)))); }
MR_GRADIENT(Tan)(GradContext& g) {
  Slope(g, Square(g, Reciprocal(g, Cos(g, g.in(0)))));
}
MR_GRADIENT(Asin)(GradContext& g) {
  Slope(g, Reciprocal(g, Sqrt(g, OneMinusSquare(g))));
}
MR_GRADIENT(Acos)(GradContext& g) {
  Slope(g, Neg(g, Reciprocal(g, Sqrt(g, OneMinusSquare(g)))));
}
MR_GRADIENT(Atan)(GradContext& g) {
  Slope(g, Reciprocal(g, AddV2(g, Square(g, g.in(0)), 1)));
}
MR_GRADIENT(Sinh)(GradContext& g) { Slope(g, Cosh(g, g.in(0))); }
MR_GRADIENT(Cosh)(GradContext& g) { Slope(g, Sinh(g, g.in(0))); }
MR_GRADIENT(Tanh)(GradContext& g) {
  g.Set(0, TanhGrad(g, ConjOf(g, g.out()), g.dy()));
}
MR_GRADIENT(Asinh)(GradContext& g) {
  Slope(g, Reciprocal(g, Cosh(g, g.out())));
}
MR_GRADIENT(Acosh)(GradContext& g) {
  Slope(g, Reciprocal(g, Sinh(g, g.out())));
}
MR_GRADIENT(Atanh)(GradContext& g) {
  Slope(g, Reciprocal(g, OneMinusSquare(g)));
}
MR_GRADIENT(Sigmoid)(GradContext& g) {
  g.Set(0, SigmoidGrad(g, ConjOf(g, g.out()), g.dy()));
}

MR_GRADIENT(Erf)(GradContext& g) {
  Slope(g, Mul(g, Exp(g, Neg(g, Square(g, g.in(0)))), 2 / std::sqrt(kPi)));
}
MR_GRADIENT(Erfc)(GradContext& g) {
  Slope(g, Mul(g, Exp(g, Neg(g, Square(g, g.in(0)))), -2 / std::sqrt(kPi)));
}
MR_GRADIENT(Lgamma)(GradContext& g) { Slope(g, Digamma(g, g.in(0))); }

MR_GRADIENT(Digamma)(GradContext& g) { Slope(g, Polygamma(g, 1, g.in(0))); }

// These ops are constant almost everywhere. Only Sign returns zeros, as in
// TensorFlow; the others have no gradient.
MR_GRADIENT(Sign)(GradContext& g) { g.Set(0, ZerosLike(g, g.in(0))); }
MR_NO_GRADIENT(Floor);
MR_NO_GRADIENT(Ceil);
MR_NO_GRADIENT(Round);
MR_NO_GRADIENT(Rint);

}  // namespace millrace::ops
