#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {

MR_NO_GRADIENT(CTCGreedyDecoder);
MR_NO_GRADIENT(CTCBeamSearchDecoder);

}  // namespace millrace::ops
