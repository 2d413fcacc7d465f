#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {

// The gradient of the value is that of the variable.
MR_GRADIENT(ReadVariableOp)(GradContext& g) { g.Set(0, g.gradient()); }

}  // namespace millrace::ops
