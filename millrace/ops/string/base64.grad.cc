// Strings have no gradients.
#include "millrace/client/gradients/gradient_decl.h"

namespace millrace::ops {

MR_NO_GRADIENT(DecodeBase64);
MR_NO_GRADIENT(EncodeBase64);

}  // namespace millrace::ops
