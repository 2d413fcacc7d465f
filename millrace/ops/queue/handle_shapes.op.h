// Shape functions of ops on handles, which many families share.
#pragma once

#include "millrace/graph/shape_context.h"

namespace millrace::ops {

// The shape function of a node that makes a resource: [container, name], or a
// resource scalar.
inline Status HandleShape(ShapeContext& c) {
  const bool is_ref = c.op().outputs[0].is_ref;
  return c.Return(is_ref ? PartialShape({2}) : PartialShape({}));
}

// Returns an error if the input cannot be a handle of the op's kind.
inline Status CheckHandle(ShapeContext& c, int input = 0) {
  if (!c.op().inputs[static_cast<size_t>(input)].is_ref) {
    return c.WithRank(input, 0).status();
  }
  MR_ASSIGN_OR_RETURN(const PartialShape handle, c.WithRank(input, 1));
  return ShapeContext::WithValue(handle.dim(0), 2).status();
}

// Sets every output to a scalar; input 0 must be a handle.
inline Status ScalarsOfHandle(ShapeContext& c) {
  MR_RETURN_IF_ERROR(CheckHandle(c));
  return shapes::Scalar(c);
}

}  // namespace millrace::ops
