// The shape function of products of two matrices.
#pragma once

#include "millrace/graph/shape_context.h"

namespace millrace::ops {

// Sets output 0 by the attributes transpose_a and transpose_b.
Status MatMulShape(ShapeContext& c);

}  // namespace millrace::ops
