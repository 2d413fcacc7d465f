#include "millrace/client/gradients/gradient_decl.h"

namespace millrace::ops {

// Indices are integers, and as in TensorFlow nothing goes back to on_value and
// off_value either.
MR_NO_GRADIENT(OneHot);

}  // namespace millrace::ops
