// Tables have no gradients.
#include "millrace/client/gradients/gradient_decl.h"

namespace millrace::ops {

MR_NO_GRADIENT(LookupTableFind);
MR_NO_GRADIENT(LookupTableFindV2);
MR_NO_GRADIENT(LookupTableInsert);
MR_NO_GRADIENT(LookupTableInsertV2);
MR_NO_GRADIENT(LookupTableSize);
MR_NO_GRADIENT(LookupTableSizeV2);

}  // namespace millrace::ops
