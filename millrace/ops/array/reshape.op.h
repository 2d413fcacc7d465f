// The shape function of Reshape, which other ops share.
#pragma once

#include "millrace/graph/shape_context.h"

namespace millrace::ops {

// Sets output 0 to the shape of input 0 after reshaping it to the shape that
// input 1 holds.
Status ReshapeShape(ShapeContext& c);

}  // namespace millrace::ops
