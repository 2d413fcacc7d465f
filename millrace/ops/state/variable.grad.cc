// Gradients of reading state. Changes of state have none.
#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {

// What comes back to the value is what comes back to the variable.
MR_GRADIENT(ReadVariableOp)(GradContext& g) { g.Set(0, g.gradient()); }

MR_NO_GRADIENT(Assign);
MR_NO_GRADIENT(AssignAdd);
MR_NO_GRADIENT(AssignSub);
MR_NO_GRADIENT(VarIsInitializedOp);
MR_NO_GRADIENT(VariableShape);

}  // namespace millrace::ops
