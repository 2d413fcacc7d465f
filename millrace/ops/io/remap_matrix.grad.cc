// Nothing goes back into a file.
#include "millrace/client/gradients/gradient_decl.h"

namespace millrace::ops {

MR_NO_GRADIENT(LoadAndRemapMatrix);

}  // namespace millrace::ops
