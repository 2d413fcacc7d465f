// The masks of a strided slice, for the ops of its gradient.
#pragma once

#include <cstdint>

#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {

// Returns the masks of the op that `g` differentiates, as the options of
// another op with the same masks.
template <class Options>
Options SliceMasks(GradContext& g) {
  return {.begin_mask = g.Attr<int64_t>("begin_mask"),
          .end_mask = g.Attr<int64_t>("end_mask"),
          .ellipsis_mask = g.Attr<int64_t>("ellipsis_mask"),
          .new_axis_mask = g.Attr<int64_t>("new_axis_mask"),
          .shrink_axis_mask = g.Attr<int64_t>("shrink_axis_mask")};
}

}  // namespace millrace::ops
