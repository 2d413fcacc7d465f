// The gradient of rounded values is the gradient itself.
#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {

MR_GRADIENT(QuantizeAndDequantize)(GradContext& g) { g.Set(0, g.dy()); }
MR_GRADIENT(QuantizeAndDequantizeV2)(GradContext& g) { g.Set(0, g.dy()); }
MR_GRADIENT(QuantizeAndDequantizeV3)(GradContext& g) { g.Set(0, g.dy()); }
MR_GRADIENT(QuantizeAndDequantizeV4)(GradContext& g) {
  const auto back = QuantizeAndDequantizeV4Grad(
      g, g.dy(), g.in(0), g.in(1), g.in(2), {.axis = g.Attr<int64_t>("axis")});
  g.Set(0, back.input_backprop);
  g.Set(1, back.input_min_backprop);
  g.Set(2, back.input_max_backprop);
}
// The op is linear in the gradient that it passes on.
MR_GRADIENT(QuantizeAndDequantizeV4Grad)(GradContext& g) {
  g.Set(0, QuantizeAndDequantizeV4Grad(g, g.dy(), g.in(1), g.in(2), g.in(3),
                                       {.axis = g.Attr<int64_t>("axis")})
               .input_backprop);
}

}  // namespace millrace::ops
