#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"

namespace millrace::ops {

MR_GRADIENT(BiasAdd)(GradContext& g) {
  g.Set(0, g.dy());
  g.Set(1, BiasAddGrad(g, g.dy(),
                       {.data_format = g.Attr<std::string>("data_format")}));
}

MR_GRADIENT(BiasAddV1)(GradContext& g) {
  g.Set(0, g.dy());
  g.Set(1, Sum(g, g.dy(), Range(g, 0, Sub(g, RankOf(g, g.dy()), 1), 1)));
}

MR_GRADIENT(BiasAddGrad)(GradContext& g) {
  Output bias = g.dy();
  if (g.Attr<std::string>("data_format") == "NCHW") {
    // [C, 1, 1, ...] broadcasts to [N, C, H, W, ...].
    const Output ones =
        Fill(g, ExpandDims(g, Sub(g, RankOf(g, g.in(0)), 2), 0), 1);
    bias = Reshape(g, bias, ConcatV2(g, {Shape(g, bias), ones}, 0));
  }
  g.Set(0, BroadcastTo(g, bias, ShapeOf(g, g.in(0))));
}

}  // namespace millrace::ops
