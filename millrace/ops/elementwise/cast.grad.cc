#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {

MR_GRADIENT(Cast)(GradContext& g) {
  const auto smooth = [](DataType type) {
    return IsFloating(type) || IsComplex(type);
  };
  const DataType from = RemoveRef(g.in(0).dtype());
  if (!smooth(from) || !smooth(g.out().dtype())) return;
  g.Set(0, OfEachElement(g.gradient(),
                         [&](const Output& dy) { return Cast(g, dy, from); }));
}

}  // namespace millrace::ops
