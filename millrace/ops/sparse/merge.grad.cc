#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {
namespace {

// A selection has no gradient in stock either.
void FailToChoose(GradContext& g) {
  g.Fail(Unimplemented("Gradient for ", g.op().type(),
                       " is not implemented; SparseAdd has one"));
}

}  // namespace

MR_GRADIENT(SparseAdd)(GradContext& g) {
  const auto d = SparseAddGrad(g, g.dy(1), g.in(0), g.in(3), g.out(0));
  g.Set(1, d.a_val_grad);
  g.Set(4, d.b_val_grad);
}

MR_GRADIENT(SparseSparseMaximum)(GradContext& g) { FailToChoose(g); }
MR_GRADIENT(SparseSparseMinimum)(GradContext& g) { FailToChoose(g); }
MR_NO_GRADIENT(SparseAddGrad);

}  // namespace millrace::ops
