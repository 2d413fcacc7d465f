#include "millrace/client/gradients/gradient_decl.h"

namespace millrace::ops {

MR_NO_GRADIENT(Range);
MR_NO_GRADIENT(LinSpace);

}  // namespace millrace::ops
