// Gradients of ops that pass values on.
#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {

MR_GRADIENT(Identity)(GradContext& g) { g.Set(0, g.gradient()); }
MR_GRADIENT(RefIdentity)(GradContext& g) { g.Set(0, g.gradient()); }
MR_GRADIENT(DebugGradientIdentity)(GradContext& g) { g.Set(0, g.gradient()); }
MR_GRADIENT(DebugGradientRefIdentity)(GradContext& g) {
  g.Set(0, g.gradient());
}
MR_GRADIENT(PlaceholderWithDefault)(GradContext& g) { g.Set(0, g.gradient()); }
MR_GRADIENT(EnsureShape)(GradContext& g) { g.Set(0, g.gradient()); }
MR_GRADIENT(IdentityN)(GradContext& g) {
  for (int i = 0; i < g.num_inputs(); ++i) g.Set(i, g.gradient(i));
}

MR_NO_GRADIENT(StopGradient);
MR_GRADIENT(PreventGradient)(GradContext& g) {
  g.Fail(Unimplemented("Gradient explicitly disabled. Reason: ",
                       g.Attr<std::string>("message")));
}
MR_GRADIENT(CheckNumerics)(GradContext& g) {
  g.Set(0, CheckNumerics(
               g, g.dy(),
               absl::StrCat(
                   "Not a number (NaN) or infinity (Inf) values detected in "
                   "gradient. ",
                   g.Attr<std::string>("message"))));
}
MR_GRADIENT(CheckNumericsV2)(GradContext& g) {
  g.Set(0, CheckNumericsV2(
               g, g.dy(),
               absl::StrCat(
                   "Not a number (NaN) or infinity (Inf) values detected in "
                   "gradient. ",
                   g.Attr<std::string>("message"))));
}

MR_NO_GRADIENT(Const);
MR_NO_GRADIENT(ZerosLike);
MR_NO_GRADIENT(OnesLike);
MR_NO_GRADIENT(Shape);
MR_NO_GRADIENT(ShapeN);
MR_NO_GRADIENT(Size);
MR_NO_GRADIENT(Rank);
MR_NO_GRADIENT(OneHot);
MR_NO_GRADIENT(BroadcastGradientArgs);
MR_NO_GRADIENT(ConcatOffset);
MR_NO_GRADIENT(InvertPermutation);

}  // namespace millrace::ops
