#include "millrace/client/gradients/gradient_decl.h"

namespace millrace::ops {

MR_NO_GRADIENT(Shape);
MR_NO_GRADIENT(ShapeN);
MR_NO_GRADIENT(Size);
MR_NO_GRADIENT(Rank);

}  // namespace millrace::ops
