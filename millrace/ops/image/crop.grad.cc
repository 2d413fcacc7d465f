#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"

namespace millrace::ops {

MR_GRADIENT(CropAndResize)(GradContext& g) {
  const DataType type = g.Attr<DataType>("T");
  if (IsFloating(type)) {  // the gradient of images has no other types
    g.Set(0, CropAndResizeGradImage(g, g.dy(), g.in(1), g.in(2),
                                    ShapeOf(g, g.in(0)), type,
                                    {.method = g.Attr<std::string>("method")}));
  }
  // As in stock, boxes are differentiated as if the method were bilinear.
  g.Set(1, CropAndResizeGradBoxes(g, g.dy(), g.in(0), g.in(1), g.in(2)));
}

}  // namespace millrace::ops
