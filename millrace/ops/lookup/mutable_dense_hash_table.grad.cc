// Tables have no gradients.
#include "millrace/client/gradients/gradient_decl.h"

namespace millrace::ops {

MR_NO_GRADIENT(MutableDenseHashTable);
MR_NO_GRADIENT(MutableDenseHashTableV2);

}  // namespace millrace::ops
