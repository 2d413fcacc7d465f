// Gradients of ops that give the elements another shape or order.
#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"

namespace millrace::ops {

MR_GRADIENT(Reshape)(GradContext& g) {
  g.Set(0, ReshapeLike(g, g.dy(), g.in(0)));
}
MR_GRADIENT(ExpandDims)(GradContext& g) {
  g.Set(0, ReshapeLike(g, g.dy(), g.in(0)));
}
MR_GRADIENT(Squeeze)(GradContext& g) {
  g.Set(0, ReshapeLike(g, g.dy(), g.in(0)));
}

MR_GRADIENT(Transpose)(GradContext& g) {
  g.Set(0, Transpose(g, g.dy(), InvertPermutation(g, g.in(1))));
}
MR_GRADIENT(ConjugateTranspose)(GradContext& g) {
  g.Set(0, ConjugateTranspose(g, g.dy(), InvertPermutation(g, g.in(1))));
}

MR_GRADIENT(Reverse)(GradContext& g) { g.Set(0, Reverse(g, g.dy(), g.in(1))); }
MR_GRADIENT(ReverseV2)(GradContext& g) {
  g.Set(0, ReverseV2(g, g.dy(), g.in(1)));
}
MR_GRADIENT(ReverseSequence)(GradContext& g) {
  g.Set(0, ReverseSequence(g, g.dy(), g.in(1), g.Attr<int64_t>("seq_dim"),
                           {.batch_dim = g.Attr<int64_t>("batch_dim")}));
}
MR_GRADIENT(Roll)(GradContext& g) {
  g.Set(0, Roll(g, g.dy(), Neg(g, g.in(1)), g.in(2)));
}

MR_GRADIENT(Diag)(GradContext& g) { g.Set(0, DiagPart(g, g.dy())); }
MR_GRADIENT(DiagPart)(GradContext& g) { g.Set(0, Diag(g, g.dy())); }
MR_GRADIENT(MatrixBandPart)(GradContext& g) {
  g.Set(0, MatrixBandPart(g, g.dy(), g.in(1), g.in(2)));
}

}  // namespace millrace::ops
