// Updates of reference variables have no gradients.
#include "millrace/client/gradients/gradient_decl.h"

namespace millrace::ops {

MR_NO_GRADIENT(Assign);
MR_NO_GRADIENT(AssignAdd);
MR_NO_GRADIENT(AssignSub);

}  // namespace millrace::ops
