#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"

namespace millrace::ops {

// A sample moves with alpha so that the distribution function keeps its value.
MR_GRADIENT(RandomGamma)(GradContext& g) {
  const Output before = Size(g, g.in(0));
  const Output alpha_shape = ShapeOf(g, g.in(1));
  const Output ones =
      Fill(g, ExpandDims(g, before, 0), Const(g, 1, DataType::kInt32));
  const Output alpha = Reshape(g, g.in(1), ConcatV2(g, {ones, alpha_shape}, 0));
  // RandomGammaGrad does not support half.
  const DataType type = g.in(1).dtype();
  const bool half = type == DataType::kHalf;
  const auto wide = [&](const Output& x) {
    return half ? Cast(g, x, DataType::kFloat) : x;
  };
  const Output slope = RandomGammaGrad(g, wide(alpha), wide(g.out()));
  const Output d = Sum(g, Mul(g, wide(g.dy()), slope), Range(g, 0, before, 1));
  g.Set(1, half ? Cast(g, d, type) : d);
}

}  // namespace millrace::ops
