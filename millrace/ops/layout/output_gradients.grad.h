// The gradients of all outputs of an op.
#pragma once

#include <vector>

#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {

// Returns the gradient of each output; zeros for an output without one.
inline std::vector<Output> OutputGradients(GradContext& g) {
  std::vector<Output> dys;
  for (int i = 0; i < g.num_outputs(); ++i) dys.push_back(g.dy(i));
  return dys;
}

}  // namespace millrace::ops
