#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"

namespace millrace::ops {
namespace {

// Sets the gradients of the values, which begin at input `first`.
void ConcatGradient(GradContext& g, const Output& axis, int first, int count) {
  if (count == 1) {
    g.Set(first, g.dy());
    return;
  }
  std::vector<Output> values;
  for (int i = 0; i < count; ++i) values.push_back(g.in(first + i));
  // A negative axis counts from the end, which ConcatOffset does not support.
  const Output positive = FloorMod(g, axis, RankOf(g, values[0]));
  const std::vector<Output> shapes = ShapeN(g, values);
  const std::vector<Output> offsets = ConcatOffset(g, positive, shapes);
  for (int i = 0; i < count; ++i) {
    const size_t k = static_cast<size_t>(i);
    g.Set(first + i, Slice(g, g.dy(), offsets[k], shapes[k]));
  }
}

}  // namespace

MR_GRADIENT(Concat)(GradContext& g) {
  ConcatGradient(g, g.in(0), 1, g.num_inputs() - 1);
}
MR_GRADIENT(ConcatV2)(GradContext& g) {
  const int count = g.num_inputs() - 1;
  ConcatGradient(g, Cast(g, g.in(count), DataType::kInt32), 0, count);
}

MR_NO_GRADIENT(ConcatOffset);

}  // namespace millrace::ops
