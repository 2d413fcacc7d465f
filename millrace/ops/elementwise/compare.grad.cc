#include "millrace/client/gradients/gradient_decl.h"

namespace millrace::ops {

MR_NO_GRADIENT(Equal);
MR_NO_GRADIENT(NotEqual);
MR_NO_GRADIENT(Less);
MR_NO_GRADIENT(LessEqual);
MR_NO_GRADIENT(Greater);
MR_NO_GRADIENT(GreaterEqual);
MR_NO_GRADIENT(ApproximateEqual);

}  // namespace millrace::ops
