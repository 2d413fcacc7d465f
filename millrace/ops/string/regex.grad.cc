// Strings have no gradients.
#include "millrace/client/gradients/gradient_decl.h"

namespace millrace::ops {

MR_NO_GRADIENT(RegexReplace);

}  // namespace millrace::ops
