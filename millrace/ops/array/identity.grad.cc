// Gradients of ops that pass their inputs on.
#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {

MR_GRADIENT(Identity)(GradContext& g) { g.Set(0, g.gradient()); }
MR_GRADIENT(RefIdentity)(GradContext& g) { g.Set(0, g.gradient()); }
MR_GRADIENT(DebugGradientIdentity)(GradContext& g) { g.Set(0, g.gradient()); }
MR_GRADIENT(DebugGradientRefIdentity)(GradContext& g) {
  g.Set(0, g.gradient());
}
MR_GRADIENT(IdentityN)(GradContext& g) {
  for (int i = 0; i < g.num_inputs(); ++i) g.Set(i, g.gradient(i));
}

MR_NO_GRADIENT(StopGradient);
MR_GRADIENT(PreventGradient)(GradContext& g) {
  g.Fail(Unimplemented("Gradient explicitly disabled. Reason: ",
                       g.Attr<std::string>("message")));
}

}  // namespace millrace::ops
