// Sets have no gradients.
#include "millrace/client/gradients/gradient_decl.h"

namespace millrace::ops {

MR_NO_GRADIENT(DenseToDenseSetOperation);
MR_NO_GRADIENT(DenseToSparseSetOperation);
MR_NO_GRADIENT(SetSize);
MR_NO_GRADIENT(SparseToSparseSetOperation);

}  // namespace millrace::ops
