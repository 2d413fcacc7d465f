#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"

namespace millrace::ops {
namespace {

// Removes the padding from the gradient.
void PadGradient(GradContext& g) {
  const Output paddings = g.in(1);
  const Output begin = Reshape(g,
                               StridedSlice(g, paddings, {0, 0}, {0, 1}, {1, 1},
                                            {.begin_mask = 3, .end_mask = 1}),
                               {-1});
  g.Set(0, Slice(g, g.dy(), begin, ShapeOf(g, g.in(0), begin.dtype())));
}

}  // namespace

MR_GRADIENT(Pad)(GradContext& g) { PadGradient(g); }
MR_GRADIENT(PadV2)(GradContext& g) { PadGradient(g); }

}  // namespace millrace::ops
