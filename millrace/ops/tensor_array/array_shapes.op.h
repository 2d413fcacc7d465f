// Finders and checks that shape functions of ops on tensor arrays share.
#pragma once

#include <initializer_list>

#include "millrace/graph/shape_context.h"

namespace millrace::ops {

// Returns what is known of an array's elements, or null if nothing is.
inline const HandleShape* ElementsOf(ShapeContext& c) {
  const std::vector<HandleShape>& handles = c.input_handles(0);
  return handles.empty() ? nullptr : &handles[0];
}

// Requires these inputs to be scalars.
inline Status Scalars(ShapeContext& c, std::initializer_list<int> inputs) {
  for (int i : inputs) MR_RETURN_IF_ERROR(c.WithRank(i, 0).status());
  return OkStatus();
}

// Requires input 0 to be two strings, the handle of an array of the second
// generation.
inline Status CheckArrayStrings(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const PartialShape handle, c.WithRank(0, 1));
  return ShapeContext::WithValue(handle.dim(0), 2).status();
}

// The shape function of an op of the second generation.
template <ShapeFunction kShape>
Status OfArrayStrings(ShapeContext& c) {
  MR_RETURN_IF_ERROR(CheckArrayStrings(c));
  return kShape(c);
}

}  // namespace millrace::ops
