// The computation of a Python function is not known, so it has no gradient.
#include "millrace/client/gradients/gradient_decl.h"

namespace millrace::ops {

MR_NO_GRADIENT(PyFunc);
MR_NO_GRADIENT(PyFuncStateless);

}  // namespace millrace::ops
