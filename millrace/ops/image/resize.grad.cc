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
MR_GRADIENT(CropAndResize)(GradContext& g) {
  const DataType type = g.Attr<DataType>("T");
  if (IsFloating(type)) {  // the gradient of images has no other types
    g.Set(0, CropAndResizeGradImage(g, g.dy(), g.in(1), g.in(2),
                                    ShapeOf(g, g.in(0)), type,
                                    {.method = g.Attr<std::string>("method")}));
  }
  // Boxes are differentiated as if the method were bilinear, as in stock.
  g.Set(1, CropAndResizeGradBoxes(g, g.dy(), g.in(0), g.in(1), g.in(2)));
}
MR_GRADIENT(ScaleAndTranslate)(GradContext& g) {
  g.Set(0, ScaleAndTranslateGrad(
               g, g.dy(), g.in(0), g.in(2), g.in(3),
               {.kernel_type = g.Attr<std::string>("kernel_type"),
                .antialias = g.Attr<bool>("antialias")}));
}

MR_NO_GRADIENT(ResizeBilinearGrad);

}  // namespace millrace::ops
