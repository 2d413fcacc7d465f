#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {

MR_GRADIENT(PlaceholderWithDefault)(GradContext& g) { g.Set(0, g.gradient()); }

}  // namespace millrace::ops
