// Sets have no gradients.
#include "millrace/client/gradient_decl.h"

MR_NO_GRADIENT(DenseToDenseSetOperation);
MR_NO_GRADIENT(DenseToSparseSetOperation);
MR_NO_GRADIENT(SetSize);
MR_NO_GRADIENT(SparseToSparseSetOperation);
