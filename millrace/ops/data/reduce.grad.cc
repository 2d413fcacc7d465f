// No gradient flows back to a data set.
#include "millrace/client/gradients/gradient_decl.h"

namespace millrace::ops {

MR_NO_GRADIENT(ReduceDataset);

}  // namespace millrace::ops
