#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"

namespace millrace::ops {
namespace {

template <class Options>
Options OptionsOf(GradContext& g) {
  Options options;
  options.align_corners = g.Attr<bool>("align_corners");
  options.half_pixel_centers = g.Attr<bool>("half_pixel_centers");
  return options;
}

}  // namespace

MR_GRADIENT(ResizeBilinear)(GradContext& g) {
  g.Set(0, ResizeBilinearGrad(g, g.dy(), g.in(0),
                              OptionsOf<ResizeBilinearGradOptions>(g)));
}
MR_GRADIENT(ResizeBicubic)(GradContext& g) {
  const DataType type = g.Attr<DataType>("T");
  if (type != DataType::kFloat && type != DataType::kDouble) return;
  g.Set(0, ResizeBicubicGrad(g, g.dy(), g.in(0),
                             OptionsOf<ResizeBicubicGradOptions>(g)));
}
MR_GRADIENT(ResizeNearestNeighbor)(GradContext& g) {
  g.Set(0, ResizeNearestNeighborGrad(
               g, g.dy(), Part(g, ShapeOf(g, g.in(0)), 1, 3),
               OptionsOf<ResizeNearestNeighborGradOptions>(g)));
}

MR_NO_GRADIENT(ResizeBilinearGrad);

}  // namespace millrace::ops
