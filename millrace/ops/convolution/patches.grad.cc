// Gradients of patches: patches of the pixels' numbers tell where each element
// came from, and the gradient is summed up by number.
#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"

namespace millrace::ops {
namespace {

// Sets the gradient. `patches` makes patches of an image of int32.
template <class F>
void SetByNumbers(GradContext& g, F&& patches) {
  const Output shape = ShapeOf(g, g.in(0));
  const Output image = Part(g, shape, 1, kToEnd);
  const Output count = Prod(g, image, {0});
  const Output numbers =
      Reshape(g, Range(g, 1, AddV2(g, count, 1), 1),
              ConcatV2(g, {Output(Fill(g, {1}, 1)), image}, 0));
  // Number 0 is padding; negative segments are dropped.
  const Output ids = Sub(g, Reshape(g, patches(numbers), {-1}), 1);
  const Output batch = Part(g, shape, 0, 1);
  const Output rows =
      Reshape(g, g.dy(), ConcatV2(g, {batch, ShapeOf(g, ids)}, 0));
  const Output sums =
      UnsortedSegmentSum(g, Transpose(g, rows, {1, 0}), ids, count);
  g.Set(0, Reshape(g, Transpose(g, sums, {1, 0}), shape));
}

using Ints = std::vector<int64_t>;

}  // namespace

MR_GRADIENT(ExtractImagePatches)(GradContext& g) {
  SetByNumbers(g, [&](const Output& numbers) {
    return ExtractImagePatches(g, numbers, g.Attr<Ints>("ksizes"),
                               g.Attr<Ints>("strides"), g.Attr<Ints>("rates"),
                               g.Attr<std::string>("padding"));
  });
}
MR_GRADIENT(ExtractVolumePatches)(GradContext& g) {
  SetByNumbers(g, [&](const Output& numbers) {
    return ExtractVolumePatches(g, numbers, g.Attr<Ints>("ksizes"),
                                g.Attr<Ints>("strides"),
                                g.Attr<std::string>("padding"));
  });
}

}  // namespace millrace::ops
