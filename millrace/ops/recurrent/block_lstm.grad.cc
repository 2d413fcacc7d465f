#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {
namespace {

// Sets the gradients of all inputs but the length. `back` computes them from
// all inputs and outputs and the gradients of cells and outputs.
template <class Outputs>
void SetLstmGradients(GradContext& g, const Outputs& back) {
  g.Set(1, back.x_grad);
  g.Set(2, back.cs_prev_grad);
  g.Set(3, back.h_prev_grad);
  g.Set(4, back.w_grad);
  g.Set(5, back.wci_grad);
  g.Set(6, back.wcf_grad);
  g.Set(7, back.wco_grad);
  g.Set(8, back.b_grad);
}

}  // namespace

MR_GRADIENT(BlockLSTM)(GradContext& g) {
  SetLstmGradients(
      g, BlockLSTMGrad(g, g.in(0), g.in(1), g.in(2), g.in(3), g.in(4), g.in(5),
                       g.in(6), g.in(7), g.in(8), g.out(0), g.out(1), g.out(2),
                       g.out(3), g.out(4), g.out(5), g.out(6), g.dy(1), g.dy(6),
                       g.Attr<bool>("use_peephole")));
}
MR_GRADIENT(BlockLSTMV2)(GradContext& g) {
  SetLstmGradients(
      g, BlockLSTMGradV2(g, g.in(0), g.in(1), g.in(2), g.in(3), g.in(4),
                         g.in(5), g.in(6), g.in(7), g.in(8), g.out(0), g.out(1),
                         g.out(2), g.out(3), g.out(4), g.out(5), g.out(6),
                         g.dy(1), g.dy(6), g.Attr<bool>("use_peephole")));
}

}  // namespace millrace::ops
