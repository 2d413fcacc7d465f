#include "absl/strings/str_cat.h"
#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {
namespace {

// Returns the text that the check of the gradient puts before the op's own
// message.
std::string GradientMessage(GradContext& g) {
  return absl::StrCat(
      "Not a number (NaN) or infinity (Inf) values detected in gradient. ",
      g.Attr<std::string>("message"));
}

}  // namespace

MR_GRADIENT(CheckNumerics)(GradContext& g) {
  g.Set(0, CheckNumerics(g, g.dy(), GradientMessage(g)));
}
MR_GRADIENT(CheckNumericsV2)(GradContext& g) {
  g.Set(0, CheckNumericsV2(g, g.dy(), GradientMessage(g)));
}

}  // namespace millrace::ops
