// Messages have no gradients.
#include "millrace/client/gradients/gradient_decl.h"

namespace millrace::ops {

MR_NO_GRADIENT(EncodeProto);

}  // namespace millrace::ops
