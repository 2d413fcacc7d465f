// How many sparse coordinates share an element of a smaller shape.
#pragma once

#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {

// Returns sizes over sizes, of which some may be 0: there are no entries then.
inline Output Ratio(GradContext& g, const Output& a, const Output& b) {
  return Maximum(g, FloorDiv(g, a, Maximum(g, b, 1)), 1);
}

}  // namespace millrace::ops
