#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {

MR_NO_GRADIENT(StatelessRandomUniform);
MR_NO_GRADIENT(StatelessRandomUniformV2);
MR_NO_GRADIENT(StatelessRandomNormal);
MR_NO_GRADIENT(StatelessRandomNormalV2);
MR_NO_GRADIENT(StatelessTruncatedNormal);
MR_NO_GRADIENT(StatelessTruncatedNormalV2);
MR_NO_GRADIENT(StatelessRandomUniformInt);
MR_NO_GRADIENT(StatelessRandomUniformIntV2);
MR_NO_GRADIENT(StatelessRandomUniformFullInt);
MR_NO_GRADIENT(StatelessRandomUniformFullIntV2);

}  // namespace millrace::ops
