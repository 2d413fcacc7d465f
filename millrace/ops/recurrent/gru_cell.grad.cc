#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {

// Only h is a result; gates and candidate have no gradients of their own.
MR_GRADIENT(GRUBlockCell)(GradContext& g) {
  const Output x = g.in(0), h_prev = g.in(1), r = g.out(0);
  const GRUBlockCellGradOutputs back =
      GRUBlockCellGrad(g, x, h_prev, g.in(2), g.in(3), g.in(4), g.in(5), r,
                       g.out(1), g.out(2), g.dy(3));
  g.Set(0, back.d_x);
  g.Set(1, back.d_h_prev);
  g.Set(2, MatMul(g, ConcatV2(g, {x, h_prev}, 1), back.d_r_bar_u_bar,
                  {.transpose_a = true}));
  g.Set(3, MatMul(g, ConcatV2(g, {x, Output(Mul(g, h_prev, r))}, 1),
                  back.d_c_bar, {.transpose_a = true}));
  g.Set(4, BiasAddGrad(g, back.d_r_bar_u_bar));
  g.Set(5, BiasAddGrad(g, back.d_c_bar));
}

}  // namespace millrace::ops
