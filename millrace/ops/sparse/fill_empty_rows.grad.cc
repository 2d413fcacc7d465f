#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {

MR_GRADIENT(SparseFillEmptyRows)(GradContext& g) {
  const auto d = SparseFillEmptyRowsGrad(g, g.out(3), g.dy(1));
  g.Set(1, d.d_values);
  g.Set(3, d.d_default_value);
}

}  // namespace millrace::ops
