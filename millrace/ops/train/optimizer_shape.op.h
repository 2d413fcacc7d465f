// The shape function of optimizer ops.
#pragma once

#include "millrace/graph/shape_context.h"

namespace millrace::ops {

// Uses the names and types of the op's inputs. The first ones are variables
// (references or handles) of one shape. `grad` (or `delta`) has the same shape
// or, if `indices` follow it, a row for each of them. All other inputs are
// scalars. Output 0, if there is one, is the variable.
Status OptimizerShape(ShapeContext& c);

}  // namespace millrace::ops
