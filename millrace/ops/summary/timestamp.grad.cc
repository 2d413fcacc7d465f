// The time has no gradient.
#include "millrace/client/gradients/gradient_decl.h"

namespace millrace::ops {

MR_NO_GRADIENT(Timestamp);

}  // namespace millrace::ops
