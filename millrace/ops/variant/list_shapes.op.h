// What shape functions know of lists: one element type and one shape, behind
// the handle.
#pragma once

#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {

// What is known of the elements of the list in input `i`; null if nothing.
const HandleShape* ElementsOf(ShapeContext& c, int i = 0);

// Output 0 is a list of such elements.
Status ReturnList(ShapeContext& c, DataType dtype, PartialShape element);

// `element` and what is known of the elements of input 0, which have the type
// of the attribute. INVALID_ARGUMENT if they do not fit.
StatusOr<PartialShape> MergeElements(ShapeContext& c, PartialShape element);

}  // namespace millrace::ops
