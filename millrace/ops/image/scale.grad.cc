#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {

MR_GRADIENT(ScaleAndTranslate)(GradContext& g) {
  g.Set(0, ScaleAndTranslateGrad(
               g, g.dy(), g.in(0), g.in(2), g.in(3),
               {.kernel_type = g.Attr<std::string>("kernel_type"),
                .antialias = g.Attr<bool>("antialias")}));
}

}  // namespace millrace::ops
