#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {

MR_NO_GRADIENT(NonMaxSuppression);
MR_NO_GRADIENT(NonMaxSuppressionV2);
MR_NO_GRADIENT(NonMaxSuppressionWithOverlaps);

}  // namespace millrace::ops
