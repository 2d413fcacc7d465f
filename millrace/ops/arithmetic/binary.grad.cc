// Gradients of elementwise ops of two operands, with broadcasting.
#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {
namespace {

// Passes dy to x where the mask is set, and to y elsewhere.
void Choose(GradContext& g, const Output& mask) {
  const Output zeros = ZerosLike(g, g.dy());
  SetBroadcast(g, SelectV2(g, mask, g.dy(), zeros),
               SelectV2(g, mask, zeros, g.dy()));
}

void QuotientGradient(GradContext& g, const Output& x, const Output& y) {
  const Output dx = RealDiv(g, g.dy(), y);
  const Output dy = Mul(g, g.dy(), RealDiv(g, RealDiv(g, Neg(g, x), y), y));
  SetBroadcast(g, dx, dy);
}

// Returns 1 where x is not 0, and 0 elsewhere.
Output NotZero(GradContext& g) {
  const Output x = g.in(0);
  return Cast(g, NotEqual(g, x, 0), x.dtype());
}

}  // namespace

MR_GRADIENT(Add)(GradContext& g) { SetBroadcast(g, g.dy(), g.dy()); }
MR_GRADIENT(AddV2)(GradContext& g) { SetBroadcast(g, g.dy(), g.dy()); }
MR_GRADIENT(Sub)(GradContext& g) { SetBroadcast(g, g.dy(), Neg(g, g.dy())); }
MR_GRADIENT(Mul)(GradContext& g) {
  SetBroadcast(g, Mul(g, g.dy(), ConjOf(g, g.in(1))),
               Mul(g, ConjOf(g, g.in(0)), g.dy()));
}
MR_GRADIENT(MulNoNan)(GradContext& g) {
  SetBroadcast(g, MulNoNan(g, g.dy(), g.in(1)), MulNoNan(g, g.in(0), g.dy()));
}
MR_GRADIENT(Div)(GradContext& g) {
  const Output y = ConjOf(g, g.in(1));
  SetBroadcast(
      g, Div(g, g.dy(), y),
      Mul(g, g.dy(), Div(g, Div(g, Neg(g, ConjOf(g, g.in(0))), y), y)));
}
MR_GRADIENT(RealDiv)(GradContext& g) {
  QuotientGradient(g, ConjOf(g, g.in(0)), ConjOf(g, g.in(1)));
}
MR_GRADIENT(DivNoNan)(GradContext& g) {
  const Output x = ConjOf(g, g.in(0));
  const Output y = ConjOf(g, g.in(1));
  SetBroadcast(g, DivNoNan(g, g.dy(), y),
               Mul(g, g.dy(), DivNoNan(g, DivNoNan(g, Neg(g, x), y), y)));
}
MR_NO_GRADIENT(FloorDiv);
MR_NO_GRADIENT(TruncateDiv);
MR_GRADIENT(FloorMod)(GradContext& g) {
  const Output quotient = FloorDiv(g, ConjOf(g, g.in(0)), ConjOf(g, g.in(1)));
  SetBroadcast(g, g.dy(), Mul(g, g.dy(), Neg(g, quotient)));
}

MR_GRADIENT(Maximum)(GradContext& g) {
  Choose(g, GreaterEqual(g, g.in(0), g.in(1)));
}
MR_GRADIENT(Minimum)(GradContext& g) {
  Choose(g, LessEqual(g, g.in(0), g.in(1)));
}
MR_GRADIENT(SquaredDifference)(GradContext& g) {
  const Output twice = Mul(g, Mul(g, g.dy(), 2), Sub(g, g.in(0), g.in(1)));
  SetBroadcast(g, twice, Neg(g, twice));
}

MR_GRADIENT(Pow)(GradContext& g) {
  const Output x = ConjOf(g, g.in(0));
  const Output y = ConjOf(g, g.in(1));
  const Output dx = Mul(g, Mul(g, g.dy(), y), Pow(g, x, Sub(g, y, 1)));
  // The logarithm is computed only where it is defined.
  const Output mask =
      IsComplex(x.dtype()) ? NotEqual(g, x, 0) : Greater(g, x, 0);
  const Output safe = SelectV2(g, mask, x, OnesLike(g, x));
  const Output log = SelectV2(g, mask, Log(g, safe), ZerosLike(g, x));
  SetBroadcast(g, dx, Mul(g, Mul(g, g.dy(), ConjOf(g, g.out())), log));
}
MR_GRADIENT(Atan2)(GradContext& g) {
  const Output scaled =
      RealDiv(g, g.dy(), AddV2(g, Square(g, g.in(1)), Square(g, g.in(0))));
  SetBroadcast(g, Mul(g, g.in(1), scaled), Mul(g, Neg(g, g.in(0)), scaled));
}
MR_GRADIENT(Xdivy)(GradContext& g) {
  const Output slope = Xdivy(g, NotZero(g), g.in(1));
  SetBroadcast(g, Mul(g, g.dy(), slope),
               Mul(g, g.dy(), Xdivy(g, Neg(g, g.in(0)), Square(g, g.in(1)))));
}
MR_GRADIENT(Xlogy)(GradContext& g) {
  const Output slope = Xlogy(g, NotZero(g), g.in(1));
  SetBroadcast(g, Mul(g, g.dy(), slope),
               Mul(g, g.dy(), Xdivy(g, g.in(0), g.in(1))));
}
MR_GRADIENT(Xlog1py)(GradContext& g) {
  const Output slope = Xlog1py(g, NotZero(g), g.in(1));
  SetBroadcast(g, Mul(g, g.dy(), slope),
               Mul(g, g.dy(), Xdivy(g, g.in(0), AddV2(g, g.in(1), 1))));
}

}  // namespace millrace::ops
