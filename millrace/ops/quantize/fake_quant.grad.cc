// The gradient of rounding is the gradient itself within the range.
#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {

MR_GRADIENT(FakeQuantWithMinMaxArgs)(GradContext& g) {
  g.Set(0, FakeQuantWithMinMaxArgsGradient(
               g, g.dy(), g.in(0),
               {.min = g.Attr<float>("min"),
                .max = g.Attr<float>("max"),
                .num_bits = g.Attr<int64_t>("num_bits"),
                .narrow_range = g.Attr<bool>("narrow_range")}));
}
MR_GRADIENT(FakeQuantWithMinMaxVars)(GradContext& g) {
  const auto back = FakeQuantWithMinMaxVarsGradient(
      g, g.dy(), g.in(0), g.in(1), g.in(2),
      {.num_bits = g.Attr<int64_t>("num_bits"),
       .narrow_range = g.Attr<bool>("narrow_range")});
  g.Set(0, back.backprops_wrt_input);
  g.Set(1, back.backprop_wrt_min);
  g.Set(2, back.backprop_wrt_max);
}
MR_GRADIENT(FakeQuantWithMinMaxVarsPerChannel)(GradContext& g) {
  const auto back = FakeQuantWithMinMaxVarsPerChannelGradient(
      g, g.dy(), g.in(0), g.in(1), g.in(2),
      {.num_bits = g.Attr<int64_t>("num_bits"),
       .narrow_range = g.Attr<bool>("narrow_range")});
  g.Set(0, back.backprops_wrt_input);
  g.Set(1, back.backprop_wrt_min);
  g.Set(2, back.backprop_wrt_max);
}

MR_NO_GRADIENT(FakeQuantWithMinMaxArgsGradient);
MR_NO_GRADIENT(FakeQuantWithMinMaxVarsGradient);
MR_NO_GRADIENT(FakeQuantWithMinMaxVarsPerChannelGradient);

}  // namespace millrace::ops
