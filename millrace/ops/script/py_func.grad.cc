// What a function in Python does is not known.
#include "millrace/client/gradient_decl.h"

MR_NO_GRADIENT(PyFunc);
MR_NO_GRADIENT(PyFuncStateless);
