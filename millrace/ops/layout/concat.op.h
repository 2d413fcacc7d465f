// The shape function of concatenating tensors.
#pragma once

#include "millrace/graph/shape_context.h"

namespace millrace::ops {

// Sets output 0 to the shape of inputs [begin, end) concatenated along the
// dimension that input `axis_input` holds.
Status ConcatShape(ShapeContext& c, int begin, int end, int axis_input);

}  // namespace millrace::ops
