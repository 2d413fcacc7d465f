// Shape functions and attributes of ops on data sets.
#pragma once

#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

// The attributes that describe the elements of a data set or an iterator.
#define MR_ELEMENT_ATTRS \
  "output_types: list(type) >= 1; output_shapes: list(shape) >= 1"
// The attributes of an op with a function, whose captured tensors come first.
#define MR_FUNCTION_ATTRS "Targuments: list(type) >= 0; " MR_ELEMENT_ATTRS
// The last attribute of ops that make data sets.
#define MR_METADATA "; metadata: string = ''"

namespace millrace::ops {

// Sets the outputs to the shapes of the attribute output_shapes. Returns
// INVALID_ARGUMENT if there are not as many shapes as types.
Status ComponentShapes(ShapeContext& c);
// Does the same for an op on a data set whose rank stock does not check.
Status ReducedShapes(ShapeContext& c);
// The shape function of a data set made from scalars.
Status DatasetFromScalars(ShapeContext& c);

}  // namespace millrace::ops
