// Strings have no gradients.
#include "millrace/client/gradients/gradient_decl.h"

namespace millrace::ops {

MR_NO_GRADIENT(ReduceJoin);
MR_NO_GRADIENT(StringJoin);

}  // namespace millrace::ops
