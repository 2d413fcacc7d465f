// Bitwise ops have no gradients.
#include "millrace/client/gradients/gradient_decl.h"

namespace millrace::ops {

MR_NO_GRADIENT(BitwiseAnd);
MR_NO_GRADIENT(BitwiseOr);
MR_NO_GRADIENT(BitwiseXor);
MR_NO_GRADIENT(Invert);
MR_NO_GRADIENT(LeftShift);
MR_NO_GRADIENT(PopulationCount);
MR_NO_GRADIENT(RightShift);

}  // namespace millrace::ops
