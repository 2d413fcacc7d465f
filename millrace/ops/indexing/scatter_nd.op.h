// Checks that the shape functions of all scatters by coordinates make.
#pragma once

#include "millrace/graph/shape_context.h"

namespace millrace::ops {

// Checks the shapes of inputs `indices` and `updates`, whose slices are
// scattered into a tensor of `shape`, as far as they are known. Returns
// INVALID_ARGUMENT "Dimensions [0,1) of indices[shape=[3,1]] must match
// dimensions [0,1) of updates[shape=[2]]" or the like. Updates that are a
// scalar are left to the kernel.
Status CheckScatterShapes(ShapeContext& c, int indices, int updates,
                          const PartialShape& shape);

}  // namespace millrace::ops
