// Ops that inspect a variable have no gradients.
#include "millrace/client/gradients/gradient_decl.h"

namespace millrace::ops {

MR_NO_GRADIENT(VarIsInitializedOp);
MR_NO_GRADIENT(VariableShape);

}  // namespace millrace::ops
