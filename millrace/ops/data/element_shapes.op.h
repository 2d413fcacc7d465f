// Shape functions of ops on data sets.
#pragma once

#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {

// Outputs have the shapes of the attribute output_shapes. INVALID_ARGUMENT if
// they are not as many as the types.
Status ComponentShapes(ShapeContext& c);
// The same for an op on a data set.
Status ReducedShapes(ShapeContext& c);
// A data set made from scalars.
Status DatasetFromScalars(ShapeContext& c);

}  // namespace millrace::ops
