#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"

namespace millrace::ops {

// The gradients of the gates go back to the weights and to both factors. Those
// of the cells and of the outputs are all that comes in: gates are not results.
MR_GRADIENT(LSTMBlockCell)(GradContext& g) {
  const LSTMBlockCellGradOutputs back = LSTMBlockCellGrad(
      g, g.in(0), g.in(1), g.in(2), g.in(3), g.in(4), g.in(5), g.in(6), g.in(7),
      g.out(0), g.out(1), g.out(2), g.out(3), g.out(4), g.out(5), g.dy(1),
      g.dy(6), g.Attr<bool>("use_peephole"));
  const Output xh_grad = MatMul(g, back.dicfo, g.in(3), {.transpose_b = true});
  const Output x_shape = ShapeOf(g, g.in(0));
  const Output input = Element(g, x_shape, 1);
  g.Set(0, Slice(g, xh_grad, {0, 0}, x_shape));
  g.Set(1, back.cs_prev_grad);
  g.Set(2,
        Slice(g, xh_grad, Pack(g, {Const(g, 0), input}), ShapeOf(g, g.in(2))));
  g.Set(3, MatMul(g, ConcatV2(g, {g.in(0), g.in(2)}, 1), back.dicfo,
                  {.transpose_a = true}));
  g.Set(4, back.wci_grad);
  g.Set(5, back.wcf_grad);
  g.Set(6, back.wco_grad);
  g.Set(7, BiasAddGrad(g, back.dicfo));
}

}  // namespace millrace::ops
