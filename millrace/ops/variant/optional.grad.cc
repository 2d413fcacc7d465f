#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {
namespace {

void FromValueGradient(GradContext& g) {
  AttrValue::TypeList types;
  AttrValue::ShapeList shapes;
  for (int i = 0; i < g.num_inputs(); ++i) {
    types.push_back(g.in(i).dtype());
    shapes.push_back(g.in(i).shape());
  }
  const std::vector<Output> components =
      OptionalGetValue(g, g.dy(), types, shapes);
  for (int i = 0; i < static_cast<int>(components.size()); ++i) {
    g.Set(i, components[static_cast<size_t>(i)]);
  }
}

void GetValueGradient(GradContext& g) {
  std::vector<Output> dys;
  for (int i = 0; i < g.num_outputs(); ++i) dys.push_back(g.dy(i));
  g.Set(0, OptionalFromValue(g, dys));
}

}  // namespace

MR_GRADIENT(OptionalFromValue)(GradContext& g) { FromValueGradient(g); }

MR_GRADIENT(OptionalGetValue)(GradContext& g) { GetValueGradient(g); }

MR_NO_GRADIENT(OptionalNone);
MR_NO_GRADIENT(OptionalHasValue);

}  // namespace millrace::ops
