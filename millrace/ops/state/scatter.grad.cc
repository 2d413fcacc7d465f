// Updates of variables have no gradients.
#include "millrace/client/gradients/gradient_decl.h"

namespace millrace::ops {

MR_NO_GRADIENT(ScatterAdd);
MR_NO_GRADIENT(ScatterSub);
MR_NO_GRADIENT(ScatterMul);
MR_NO_GRADIENT(ScatterDiv);

}  // namespace millrace::ops
