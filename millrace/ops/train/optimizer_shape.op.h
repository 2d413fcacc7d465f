// The shape function of optimizer ops.
#pragma once

#include "millrace/graph/shape_context.h"

namespace millrace::ops {

// Goes by the names and types of the op's inputs. The first ones are variables
// (references or handles) of one shape. `grad` (or `delta`) has it too, or
// where there are `indices`, which follow it, a row for each of them. All other
// inputs are scalars. Output 0, if there is one, is the variable.
Status OptimizerShape(ShapeContext& c);

}  // namespace millrace::ops
