// Tables have no gradients.
#include "millrace/client/gradients/gradient_decl.h"

namespace millrace::ops {

MR_NO_GRADIENT(MutableHashTable);
MR_NO_GRADIENT(MutableHashTableV2);
MR_NO_GRADIENT(MutableHashTableOfTensors);
MR_NO_GRADIENT(MutableHashTableOfTensorsV2);

}  // namespace millrace::ops
