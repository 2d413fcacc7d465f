#include "millrace/client/gradients/gradient_decl.h"

namespace millrace::ops {

MR_NO_GRADIENT(LogicalAnd);
MR_NO_GRADIENT(LogicalOr);
MR_NO_GRADIENT(LogicalNot);

}  // namespace millrace::ops
