#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {

MR_GRADIENT(ClipByValue)(GradContext& g) {
  const Output x = g.in(0);
  const Output zeros = ZerosLike(g, g.dy());
  const Output below = Less(g, x, g.in(1));
  const Output above = Greater(g, x, g.in(2));
  const Output dx = SelectV2(g, LogicalOr(g, below, above), zeros, g.dy());
  const Output low = SelectV2(g, below, g.dy(), zeros);
  const Output high = SelectV2(g, above, g.dy(), zeros);
  g.Set(0, ReduceBroadcast(g, x, g.out(), dx, {}).first);
  g.Set(1, ReduceBroadcast(g, g.in(1), g.out(), low, {}).first);
  g.Set(2, ReduceBroadcast(g, g.in(2), g.out(), high, {}).first);
}

}  // namespace millrace::ops
