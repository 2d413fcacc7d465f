#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {
namespace {

// Returns complex numbers of input 0's type with these real parts.
Output RealPart(GradContext& g, const Output& real) {
  return Complex(g, real, ZerosLike(g, real), {.Tout = g.in(0).dtype()});
}

}  // namespace

MR_GRADIENT(ComplexAbs)(GradContext& g) {
  g.Set(0, Mul(g, RealPart(g, g.dy()), Sign(g, g.in(0))));
}

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

}  // namespace millrace::ops
