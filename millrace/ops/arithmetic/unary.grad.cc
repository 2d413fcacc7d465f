// Gradients of ops of one element each.
#include <cmath>

#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {
namespace {

constexpr double kPi = 3.14159265358979323846;

// dx = dy * conj(slope).
void Slope(GradContext& g, const Output& slope) {
  g.Set(0, Mul(g, g.dy(), ConjOf(g, slope)));
}
Output OneMinusSquare(GradContext& g) { return Sub(g, 1, Square(g, g.in(0))); }
Output RealPart(GradContext& g, const Output& real) {
  return Complex(g, real, ZerosLike(g, real), {.Tout = g.in(0).dtype()});
}

}  // namespace

MR_GRADIENT(Abs)(GradContext& g) { g.Set(0, Mul(g, g.dy(), Sign(g, g.in(0)))); }
MR_GRADIENT(ComplexAbs)(GradContext& g) {
  g.Set(0, Mul(g, RealPart(g, g.dy()), Sign(g, g.in(0))));
}
MR_GRADIENT(Neg)(GradContext& g) { g.Set(0, Neg(g, g.dy())); }
MR_GRADIENT(Conj)(GradContext& g) { g.Set(0, Conj(g, g.dy())); }
MR_GRADIENT(Real)(GradContext& g) { g.Set(0, RealPart(g, g.dy())); }
MR_GRADIENT(Imag)(GradContext& g) {
  g.Set(0, Complex(g, ZerosLike(g, g.dy()), g.dy(), {.Tout = g.in(0).dtype()}));
}
MR_GRADIENT(Angle)(GradContext& g) {
  const DataType real = g.out().dtype();
  const Output re = Real(g, g.in(0), {.Tout = real});
  const Output im = Imag(g, g.in(0), {.Tout = real});
  const Output swapped = Complex(g, im, re, {.Tout = g.in(0).dtype()});
  g.Set(0, Mul(g, Neg(g, RealPart(g, g.dy())), Reciprocal(g, swapped)));
}
MR_GRADIENT(Complex)(GradContext& g) {
  const DataType real = g.in(0).dtype();
  SetBroadcast(g, Real(g, g.dy(), {.Tout = real}),
               Imag(g, g.dy(), {.Tout = real}));
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

// Flat almost everywhere. Only Sign says so with zeros, as TensorFlow's does.
MR_GRADIENT(Sign)(GradContext& g) { g.Set(0, ZerosLike(g, g.in(0))); }
MR_NO_GRADIENT(Floor);
MR_NO_GRADIENT(Ceil);
MR_NO_GRADIENT(Round);
MR_NO_GRADIENT(Rint);

MR_GRADIENT(Cast)(GradContext& g) {
  const auto smooth = [](DataType type) {
    return IsFloating(type) || IsComplex(type);
  };
  const DataType from = RemoveRef(g.in(0).dtype());
  if (smooth(from) && smooth(g.out().dtype())) g.Set(0, Cast(g, g.dy(), from));
}

// Gradients of gradients: inputs are an output y and what came back to it.
MR_GRADIENT(SigmoidGrad)(GradContext& g) {
  const Output y = ConjOf(g, g.in(0));
  const Output b = Mul(g, g.dy(), ConjOf(g, g.in(1)));
  g.Set(0, Sub(g, b, Mul(g, Mul(g, b, 2), y)));
  g.Set(1, SigmoidGrad(g, y, g.dy()));
}
MR_GRADIENT(TanhGrad)(GradContext& g) {
  const Output y = ConjOf(g, g.in(0));
  g.Set(0, Mul(g, Mul(g, Mul(g, g.dy(), -2), ConjOf(g, g.in(1))), y));
  g.Set(1, TanhGrad(g, y, g.dy()));
}
MR_GRADIENT(SqrtGrad)(GradContext& g) {
  const Output quotient = RealDiv(g, g.dy(), g.in(0));
  g.Set(0, Neg(g, Mul(g, ConjOf(g, quotient), g.out())));
  g.Set(1, Mul(g, quotient, 0.5));
}
MR_GRADIENT(RsqrtGrad)(GradContext& g) {
  const Output y = ConjOf(g, g.in(0));
  const Output b = Mul(g, Mul(g, ConjOf(g, g.dy()), -1.5), g.in(1));
  g.Set(0, Mul(g, b, Square(g, y)));
  g.Set(1, RsqrtGrad(g, y, g.dy()));
}
MR_GRADIENT(ReciprocalGrad)(GradContext& g) {
  const Output y = ConjOf(g, g.in(0));
  g.Set(0, Mul(g, Mul(g, Mul(g, ConjOf(g, g.dy()), -2), g.in(1)), y));
  g.Set(1, ReciprocalGrad(g, y, g.dy()));
}
MR_GRADIENT(InvGrad)(GradContext& g) {
  const Output y = ConjOf(g, g.in(0));
  g.Set(0, Mul(g, Mul(g, Mul(g, ConjOf(g, g.dy()), -2), g.in(1)), y));
  g.Set(1, InvGrad(g, y, g.dy()));
}

}  // namespace millrace::ops
