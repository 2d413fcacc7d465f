// The number of sparse coordinates that share an element of a smaller shape.
#pragma once

#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {

// Returns the quotients of sizes, some of which may be 0, in which case there
// are no entries.
inline Output Ratio(GradContext& g, const Output& a, const Output& b) {
  return Maximum(g, FloorDiv(g, a, Maximum(g, b, 1)), 1);
}

}  // namespace millrace::ops
