// The shape function of ops that choose among functions.
#pragma once

#include "millrace/graph/shape_context.h"

namespace millrace::ops {

// Sets the outputs to the shapes that the attribute output_shapes promises, or
// to unknown ones if it is empty.
inline Status OutputShapes(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const AttrValue::ShapeList shapes,
                      c.Attr<AttrValue::ShapeList>("output_shapes"));
  if (shapes.empty()) return shapes::Unknown(c);
  if (static_cast<int>(shapes.size()) != c.num_outputs()) {
    return InvalidArgument(
        "`output_shapes` must be the same length as the "
        "outputs (",
        shapes.size(), " vs. ", c.num_outputs(), ")");
  }
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, shapes[i]);
  return OkStatus();
}

}  // namespace millrace::ops
