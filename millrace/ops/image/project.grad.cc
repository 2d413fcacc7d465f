// Gradients of projective transforms: the gradient is transformed by the
// inverse, as in stock.
#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"

namespace millrace::ops {
namespace {

// Inverts transforms of eight numbers, which a ninth one, 1, makes matrices.
Output InverseTransforms(GradContext& g, const Output& transforms) {
  const Output count = Element(g, ShapeOf(g, transforms), 0);
  const Output one = Fill(g, Pack(g, {count, Input(1)}), 1.0f);
  const Output matrices =
      Reshape(g, ConcatV2(g, {transforms, one}, 1), {-1, 3, 3});
  const Output inverse = Reshape(g, MatrixInverse(g, matrices), {-1, 9});
  const Output last = Slice(g, inverse, {0, 8}, {-1, 1});
  return Slice(g, RealDiv(g, inverse, last), {0, 0}, {-1, 8});
}

Output PictureSize(GradContext& g) {
  return Part(g, ShapeOf(g, g.in(0)), 1, 3);
}

}  // namespace

MR_GRADIENT(ImageProjectiveTransformV2)(GradContext& g) {
  g.Set(0, ImageProjectiveTransformV2(
               g, g.dy(), InverseTransforms(g, g.in(1)), PictureSize(g),
               g.Attr<std::string>("interpolation"),
               {.fill_mode = g.Attr<std::string>("fill_mode")}));
}
MR_GRADIENT(ImageProjectiveTransformV3)(GradContext& g) {
  g.Set(0, ImageProjectiveTransformV3(
               g, g.dy(), InverseTransforms(g, g.in(1)), PictureSize(g), 0.0f,
               g.Attr<std::string>("interpolation"),
               {.fill_mode = g.Attr<std::string>("fill_mode")}));
}

}  // namespace millrace::ops
