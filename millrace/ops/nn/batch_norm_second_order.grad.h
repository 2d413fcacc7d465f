// Gradients of the gradients of batch normalization.
#pragma once

#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {

// Sets the gradients of a FusedBatchNormGrad op of any version with respect to
// `y_backprop`, `x` and `scale`.
void SetSecondOrderOfBatchNorm(GradContext& g);

}  // namespace millrace::ops
