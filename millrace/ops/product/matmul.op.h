// The shape function of products of two matrices.
#pragma once

#include "millrace/graph/shape_context.h"

namespace millrace::ops {

// By the attributes transpose_a and transpose_b; sets output 0.
Status MatMulShape(ShapeContext& c);

}  // namespace millrace::ops
