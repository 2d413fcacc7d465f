// Messages have no gradients.
#include "millrace/client/gradient_decl.h"

MR_NO_GRADIENT(ParseTensor);
MR_NO_GRADIENT(SerializeTensor);
