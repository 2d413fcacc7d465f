// The gradient of elements that were selected from rows goes to their
// positions.
#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"

namespace millrace::ops {
namespace {

void SetChosen(GradContext& g) {
  const Output index = Cast(g, g.out(1), DataType::kInt32);
  const Output rows = Reshape(
      g, index, Pack(g, {Input(-1), Element(g, ShapeOf(g, index), -1)}));
  // Indices into the whole input.
  const Output width = Element(g, ShapeOf(g, g.in(0)), -1);
  const Output first =
      Mul(g, Range(g, 0, Element(g, Shape(g, rows), 0), 1), width);
  const Output places =
      Reshape(g, AddV2(g, rows, ExpandDims(g, first, 1)), {-1});
  const Output flat =
      ScatterNd(g, ExpandDims(g, places, 1), Reshape(g, g.dy(0), {-1}),
                ExpandDims(g, SizeOf(g, g.in(0)), 0));
  g.Set(0, ReshapeLike(g, flat, g.in(0)));
}

// Divides the gradient evenly among the elements that equal the result.
void SetEqual(GradContext& g) {
  const Output chosen =
      Cast(g, Equal(g, ExpandDims(g, g.out(), -1), g.in(0)), g.dy().dtype());
  const Output each =
      RealDiv(g, chosen, Sum(g, chosen, {-1}, {.keep_dims = true}));
  g.Set(0, Mul(g, each, ExpandDims(g, g.dy(), -1)));
}

}  // namespace

MR_GRADIENT(TopK)(GradContext& g) { SetChosen(g); }
MR_GRADIENT(TopKV2)(GradContext& g) { SetChosen(g); }
MR_GRADIENT(NthElement)(GradContext& g) { SetEqual(g); }

}  // namespace millrace::ops
