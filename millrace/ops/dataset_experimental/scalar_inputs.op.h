// Shape functions of data sets that are made from scalars.
#pragma once

#include "millrace/graph/shape_context.h"

namespace millrace::ops {

// Requires the inputs from kFirst on to be scalars. The output is a scalar.
template <int kFirst>
Status ScalarsFrom(ShapeContext& c) {
  for (int i = kFirst; i < c.num_inputs(); ++i) {
    MR_RETURN_IF_ERROR(c.WithRank(i, 0).status());
  }
  return c.Return(PartialShape({}));
}

}  // namespace millrace::ops
