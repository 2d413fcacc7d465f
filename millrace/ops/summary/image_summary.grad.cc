// Summaries have no gradients.
#include "millrace/client/gradients/gradient_decl.h"

namespace millrace::ops {

MR_NO_GRADIENT(ImageSummary);

}  // namespace millrace::ops
