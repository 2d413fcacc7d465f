#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {

MR_NO_GRADIENT(RandomShuffle);
MR_NO_GRADIENT(RandomUniform);
MR_NO_GRADIENT(RandomStandardNormal);
MR_NO_GRADIENT(TruncatedNormal);

}  // namespace millrace::ops
