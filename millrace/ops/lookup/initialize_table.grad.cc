// Tables have no gradients.
#include "millrace/client/gradients/gradient_decl.h"

namespace millrace::ops {

MR_NO_GRADIENT(InitializeTable);
MR_NO_GRADIENT(InitializeTableV2);
MR_NO_GRADIENT(InitializeTableFromTextFile);
MR_NO_GRADIENT(InitializeTableFromTextFileV2);

}  // namespace millrace::ops
