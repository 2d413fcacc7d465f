// The shape function of joining tensors.
#pragma once

#include "millrace/graph/shape_context.h"

namespace millrace::ops {

// Inputs [begin, end) along the dimension that input `axis_input` holds; sets
// output 0.
Status ConcatShape(ShapeContext& c, int begin, int end, int axis_input);

}  // namespace millrace::ops
