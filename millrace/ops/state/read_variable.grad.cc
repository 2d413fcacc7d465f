#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {

// What comes back to the value is what comes back to the variable.
MR_GRADIENT(ReadVariableOp)(GradContext& g) { g.Set(0, g.gradient()); }

}  // namespace millrace::ops
