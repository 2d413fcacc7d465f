// Summaries have no gradients.
#include "millrace/client/gradients/gradient_decl.h"

namespace millrace::ops {

MR_NO_GRADIENT(HistogramSummary);
MR_NO_GRADIENT(MergeSummary);
MR_NO_GRADIENT(ScalarSummary);

}  // namespace millrace::ops
