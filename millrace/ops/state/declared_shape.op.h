// The shape function of ops whose output has the shape of their attribute
// `shape`.
#pragma once

#include "millrace/graph/shape_context.h"

namespace millrace::ops {

inline Status DeclaredShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(PartialShape shape, c.Attr<PartialShape>("shape"));
  return c.Return(std::move(shape));
}

}  // namespace millrace::ops
