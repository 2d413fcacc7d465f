// Messages have no gradients.
#include "millrace/client/gradients/gradient_decl.h"

namespace millrace::ops {

MR_NO_GRADIENT(ParseTensor);
MR_NO_GRADIENT(SerializeTensor);

}  // namespace millrace::ops
