// Tensors of lists have no gradients.
#include "millrace/client/gradients/gradient_decl.h"

namespace millrace::ops {

MR_NO_GRADIENT(TensorListConcatLists);
MR_NO_GRADIENT(TensorListPushBackBatch);

}  // namespace millrace::ops
