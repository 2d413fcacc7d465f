// Shape functions of optimizer ops.
#pragma once

#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {

// Inputs 0 to `variables` - 1 are variables (references or handles) of one
// shape, `grad` has it too, or with `sparse` a row for each of the indices,
// which are the input after it. All other inputs are scalars. Output 0, if
// there is one, is the variable.
Status ApplyShape(ShapeContext& c, bool resource, int variables, int grad,
                  bool sparse);

template <bool kResource, int kVariables, int kGrad>
Status DenseShape(ShapeContext& c) {
  return ApplyShape(c, kResource, kVariables, kGrad, false);
}
template <bool kResource, int kVariables, int kGrad>
Status SparseShape(ShapeContext& c) {
  return ApplyShape(c, kResource, kVariables, kGrad, true);
}

}  // namespace millrace::ops
