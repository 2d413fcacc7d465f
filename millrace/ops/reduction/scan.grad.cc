// Gradients of cumulative sums and products.
#include <limits>

#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"

namespace millrace::ops {
namespace {

double LowestOf(DataType type) {
  switch (type) {
    case DataType::kHalf:
      return -65504.0;
    case DataType::kBfloat16:
      return -3.3895313892515355e38;
    case DataType::kFloat:
      return std::numeric_limits<float>::lowest();
    default:
      return std::numeric_limits<double>::lowest();
  }
}

}  // namespace

MR_GRADIENT(Cumsum)(GradContext& g) {
  g.Set(0, Cumsum(g, g.dy(), g.in(1),
                  {.exclusive = g.Attr<bool>("exclusive"),
                   .reverse = !g.Attr<bool>("reverse")}));
}

MR_GRADIENT(Cumprod)(GradContext& g) {
  const bool exclusive = g.Attr<bool>("exclusive");
  const bool reverse = g.Attr<bool>("reverse");
  const Output product = Cumprod(g, g.in(0), g.in(1),
                                 {.exclusive = exclusive, .reverse = reverse});
  const Output sums = Cumsum(g, Mul(g, ConjOf(g, product), g.dy()), g.in(1),
                             {.exclusive = exclusive, .reverse = !reverse});
  g.Set(0, DivNoNan(g, sums, ConjOf(g, g.in(0))));
}

// Handles positive and negative gradients separately, as logarithms, so that
// sums of exponentials stay in range.
MR_GRADIENT(CumulativeLogsumexp)(GradContext& g) {
  const Output x = g.in(0);
  const Output dy = g.dy();
  const Output zero = NumberLike(g, dy, 0);
  const Output lowest =
      BroadcastTo(g, NumberLike(g, dy, LowestOf(dy.dtype())), ShapeOf(g, x));
  const auto part = [&](const Output& chosen, const Output& magnitude) {
    const Output logs = SelectV2(g, chosen, Log(g, magnitude), lowest);
    const Output sums =
        CumulativeLogsumexp(g, Sub(g, logs, g.out()), g.in(1),
                            {.exclusive = g.Attr<bool>("exclusive"),
                             .reverse = !g.Attr<bool>("reverse")});
    return Exp(g, AddV2(g, sums, x));
  };
  g.Set(0, Sub(g, part(Greater(g, dy, zero), dy),
               part(Less(g, dy, zero), Neg(g, dy))));
}

}  // namespace millrace::ops
