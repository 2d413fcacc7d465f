#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {

MR_GRADIENT(SparseSlice)(GradContext& g) {
  g.Set(1, SparseSliceGrad(g, g.dy(1), g.in(0), g.in(3), g.out(0)));
}

MR_NO_GRADIENT(SparseConcat);

}  // namespace millrace::ops
