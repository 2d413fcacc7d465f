// Lists in shape functions: one element type and one shape are known, attached
// to the handle.
#pragma once

#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {

// Returns what is known of the elements of the list in input `i`, or null if
// nothing is.
const HandleShape* ElementsOf(ShapeContext& c, int i = 0);

// Sets output 0 to a list of such elements.
Status ReturnList(ShapeContext& c, DataType dtype, PartialShape element);

// Merges `element` with what is known of the elements of input 0, which must
// have the type of the attribute. Returns INVALID_ARGUMENT if they do not fit.
StatusOr<PartialShape> MergeElements(ShapeContext& c, PartialShape element);

}  // namespace millrace::ops
