#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {

MR_GRADIENT(MirrorPad)(GradContext& g) {
  g.Set(0, MirrorPadGrad(g, g.dy(), g.in(1), g.Attr<std::string>("mode")));
}

MR_GRADIENT(MirrorPadGrad)(GradContext& g) {
  g.Set(0, MirrorPad(g, g.dy(), g.in(1), g.Attr<std::string>("mode")));
}

}  // namespace millrace::ops
