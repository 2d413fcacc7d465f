// Gradients of selecting between tensors.
#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {

MR_GRADIENT(Select)(GradContext& g) {
  const Output zeros = ZerosLike(g, g.in(1));
  g.Set(1, Select(g, g.in(0), g.dy(), zeros));
  g.Set(2, Select(g, g.in(0), zeros, g.dy()));
}

MR_GRADIENT(SelectV2)(GradContext& g) {
  const Output zero = NumberLike(g, g.dy(), 0);
  const Output dx = SelectV2(g, g.in(0), g.dy(), zero);
  const Output dy = SelectV2(g, g.in(0), zero, g.dy());
  g.Set(1, ReduceBroadcast(g, g.in(1), g.out(), dx, {}).first);
  g.Set(2, ReduceBroadcast(g, g.in(2), g.out(), dy, {}).first);
}

}  // namespace millrace::ops
