#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

// The operands are scalars, or tensors of the same shape.
Status BetaincShape(ShapeContext& c) {
  PartialShape out{};
  bool found = false;
  for (int i = 0; i < 3; ++i) {
    const PartialShape& s = c.input(i);
    if (!s.known_rank()) return c.Return(PartialShape());
    if (s.rank() == 0) continue;
    if (!found) {
      out = s;
    } else {
      MR_ASSIGN_OR_RETURN(out, ShapeContext::MergeShapes(out, s));
    }
    found = true;
  }
  return c.Return(found ? out : PartialShape(TensorShape()));
}

}  // namespace

MR_OP(Igamma){
    .inputs = "a: T, x: T",
    .outputs = "z: T",
    .attrs = "T: {bfloat16, half, float, double}",
    .shape = shapes::Broadcast,
    .doc =
        "The regularized lower incomplete gamma function P(a, x), with "
        "broadcasting.",
};

MR_OP(Igammac){
    .inputs = "a: T, x: T",
    .outputs = "z: T",
    .attrs = "T: {bfloat16, half, float, double}",
    .shape = shapes::Broadcast,
    .doc =
        "The regularized upper incomplete gamma function Q(a, x) = 1 - P(a, "
        "x), with broadcasting.",
};

MR_OP(IgammaGradA){
    .inputs = "a: T, x: T",
    .outputs = "z: T",
    .attrs = "T: {float, double}",
    .shape = shapes::Broadcast,
    .doc = "The derivative of Igamma by a, with broadcasting.",
};

MR_OP(Zeta){
    .inputs = "x: T, q: T",
    .outputs = "z: T",
    .attrs = "T: {float, double}",
    .shape = shapes::Broadcast,
    .doc =
        "The Hurwitz zeta function, the sum of (q + n)^-x over n >= 0, with "
        "broadcasting.",
};

MR_OP(Polygamma){
    .inputs = "a: T, x: T",
    .outputs = "z: T",
    .attrs = "T: {float, double}",
    .shape = shapes::Broadcast,
    .doc = "The derivative of order a of Digamma at x, with broadcasting.",
};

MR_OP(Betainc){
    .inputs = "a: T, b: T, x: T",
    .outputs = "z: T",
    .attrs = "T: {float, double}",
    .shape = BetaincShape,
    .doc =
        "The regularized incomplete beta function; operands are scalars or of "
        "one shape.",
};

MR_OP(Erfinv){
    .inputs = "x: T",
    .outputs = "y: T",
    .attrs = "T: {bfloat16, half, float, double}",
    .shape = shapes::Unchanged,
    .doc = "The inverse of Erf.",
};

MR_OP(Ndtri){
    .inputs = "x: T",
    .outputs = "y: T",
    .attrs = "T: {bfloat16, half, float, double}",
    .shape = shapes::Unchanged,
    .doc = "The quantile of the normal distribution: x is a probability.",
};

MR_OP(NextAfter){
    .inputs = "x1: T, x2: T",
    .outputs = "output: T",
    .attrs = "T: {double, float} = 'float'",
    .shape = shapes::Broadcast,
    .doc =
        "The next number after x1 in the direction of x2, with broadcasting.",
};

}  // namespace millrace::ops
