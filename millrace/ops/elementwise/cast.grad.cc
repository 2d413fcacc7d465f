#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {

MR_GRADIENT(Cast)(GradContext& g) {
  const auto smooth = [](DataType type) {
    return IsFloating(type) || IsComplex(type);
  };
  const DataType from = RemoveRef(g.in(0).dtype());
  // That of an integer may be given as one of another type, which goes on.
  const Gradient& given = g.gradient();
  const DataType to =
      given.is_slices() ? given.slices.dtype() : given.tensor.dtype();
  if (!smooth(from) || !smooth(to)) return;
  g.Set(0, OfEachElement(given,
                         [&](const Output& dy) { return Cast(g, dy, from); }));
}

}  // namespace millrace::ops
