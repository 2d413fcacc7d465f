// Updates of variables have no gradients.
#include "millrace/client/gradients/gradient_decl.h"

namespace millrace::ops {

MR_NO_GRADIENT(ScatterNdUpdate);
MR_NO_GRADIENT(ScatterNdAdd);
MR_NO_GRADIENT(ScatterNdSub);

}  // namespace millrace::ops
