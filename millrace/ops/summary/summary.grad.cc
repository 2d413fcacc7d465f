// Messages for people have no gradients.
#include "millrace/client/gradients/gradient_decl.h"

namespace millrace::ops {

MR_NO_GRADIENT(Assert);
MR_NO_GRADIENT(AudioSummary);
MR_NO_GRADIENT(AudioSummaryV2);
MR_NO_GRADIENT(HistogramSummary);
MR_NO_GRADIENT(ImageSummary);
MR_NO_GRADIENT(MergeSummary);
MR_NO_GRADIENT(ScalarSummary);
MR_NO_GRADIENT(TensorSummary);
MR_NO_GRADIENT(TensorSummaryV2);
MR_NO_GRADIENT(Timestamp);

}  // namespace millrace::ops
