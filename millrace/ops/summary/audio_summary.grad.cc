// Summaries have no gradients.
#include "millrace/client/gradients/gradient_decl.h"

namespace millrace::ops {

MR_NO_GRADIENT(AudioSummary);
MR_NO_GRADIENT(AudioSummaryV2);

}  // namespace millrace::ops
