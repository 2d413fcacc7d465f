// Bytes have no gradients.
#include "millrace/client/gradients/gradient_decl.h"

namespace millrace::ops {

MR_NO_GRADIENT(DecodePaddedRaw);
MR_NO_GRADIENT(DecodeRaw);

}  // namespace millrace::ops
