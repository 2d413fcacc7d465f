#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {

MR_NO_GRADIENT(SampleDistortedBoundingBox);
MR_NO_GRADIENT(SampleDistortedBoundingBoxV2);

}  // namespace millrace::ops
