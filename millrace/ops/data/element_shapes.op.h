// Shape functions and attributes of ops on data sets.
#pragma once

#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

// What the elements of a data set or an iterator are.
#define MR_ELEMENT_ATTRS \
  "output_types: list(type) >= 1; output_shapes: list(shape) >= 1"
// The same for ops with a function, whose captured tensors come first.
#define MR_FUNCTION_ATTRS "Targuments: list(type) >= 0; " MR_ELEMENT_ATTRS
// Data sets have it at the end of their attributes.
#define MR_METADATA "; metadata: string = ''"

namespace millrace::ops {

// Outputs have the shapes of the attribute output_shapes. INVALID_ARGUMENT if
// they are not as many as the types.
Status ComponentShapes(ShapeContext& c);
// The same for an op on a data set, whose rank stock does not look at.
Status ReducedShapes(ShapeContext& c);
// A data set made from scalars.
Status DatasetFromScalars(ShapeContext& c);

}  // namespace millrace::ops
