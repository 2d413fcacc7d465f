// Gradients of joining and splitting tensors.
#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"

namespace millrace::ops {
namespace {

// The values begin at input `first`.
void ConcatGradient(GradContext& g, const Output& axis, int first, int count) {
  if (count == 1) {
    g.Set(first, g.dy());
    return;
  }
  std::vector<Output> values;
  for (int i = 0; i < count; ++i) values.push_back(g.in(first + i));
  // An axis below 0 counts from the back, which offsets do not understand.
  const Output positive = FloorMod(g, axis, RankOf(g, values[0]));
  const std::vector<Output> shapes = ShapeN(g, values);
  const std::vector<Output> offsets = ConcatOffset(g, positive, shapes);
  for (int i = 0; i < count; ++i) {
    const size_t k = static_cast<size_t>(i);
    g.Set(first + i, Slice(g, g.dy(), offsets[k], shapes[k]));
  }
}

std::vector<Output> AllDys(GradContext& g) {
  std::vector<Output> dys;
  for (int i = 0; i < g.num_outputs(); ++i) dys.push_back(g.dy(i));
  return dys;
}

// ConcatV2 takes two values at least.
Output JoinedDys(GradContext& g, const Output& axis) {
  return g.num_outputs() == 1 ? g.dy() : ConcatV2(g, AllDys(g), axis);
}

}  // namespace

MR_GRADIENT(Concat)(GradContext& g) {
  ConcatGradient(g, g.in(0), 1, g.num_inputs() - 1);
}
MR_GRADIENT(ConcatV2)(GradContext& g) {
  const int count = g.num_inputs() - 1;
  ConcatGradient(g, Cast(g, g.in(count), DataType::kInt32), 0, count);
}
MR_GRADIENT(Pack)(GradContext& g) {
  const std::vector<Output> dxs =
      Unpack(g, g.dy(), g.num_inputs(), {.axis = g.Attr<int64_t>("axis")});
  for (int i = 0; i < g.num_inputs(); ++i)
    g.Set(i, dxs[static_cast<size_t>(i)]);
}
MR_GRADIENT(Unpack)(GradContext& g) {
  g.Set(0, Pack(g, AllDys(g), {.axis = g.Attr<int64_t>("axis")}));
}
MR_GRADIENT(Split)(GradContext& g) { g.Set(1, JoinedDys(g, g.in(0))); }
MR_GRADIENT(SplitV)(GradContext& g) { g.Set(0, JoinedDys(g, g.in(2))); }

}  // namespace millrace::ops
