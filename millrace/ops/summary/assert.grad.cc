// A check has no gradient.
#include "millrace/client/gradients/gradient_decl.h"

namespace millrace::ops {

MR_NO_GRADIENT(Assert);

}  // namespace millrace::ops
