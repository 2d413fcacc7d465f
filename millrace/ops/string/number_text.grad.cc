// Strings have no gradients.
#include "millrace/client/gradients/gradient_decl.h"

namespace millrace::ops {

MR_NO_GRADIENT(AsString);
MR_NO_GRADIENT(StringToNumber);

}  // namespace millrace::ops
