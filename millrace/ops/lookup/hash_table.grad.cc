// Tables have no gradients.
#include "millrace/client/gradients/gradient_decl.h"

namespace millrace::ops {

MR_NO_GRADIENT(HashTable);
MR_NO_GRADIENT(HashTableV2);

}  // namespace millrace::ops
