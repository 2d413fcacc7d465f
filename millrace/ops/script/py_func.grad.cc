// What a function in Python does is not known.
#include "millrace/client/gradients/gradient_decl.h"

namespace millrace::ops {

MR_NO_GRADIENT(PyFunc);
MR_NO_GRADIENT(PyFuncStateless);

}  // namespace millrace::ops
