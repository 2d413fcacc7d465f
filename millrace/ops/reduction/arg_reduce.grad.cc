#include "millrace/client/gradients/gradient_decl.h"

namespace millrace::ops {

MR_NO_GRADIENT(ArgMax);
MR_NO_GRADIENT(ArgMin);

}  // namespace millrace::ops
