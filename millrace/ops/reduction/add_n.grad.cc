#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {

MR_GRADIENT(AddN)(GradContext& g) {
  for (int i = 0; i < g.num_inputs(); ++i) g.Set(i, g.gradient());
}

MR_GRADIENT(AccumulateNV2)(GradContext& g) {
  for (int i = 0; i < g.num_inputs(); ++i) g.Set(i, g.gradient());
}

}  // namespace millrace::ops
