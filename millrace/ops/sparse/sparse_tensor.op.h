// Texts and shape functions that the schemas of ops on sparse tensors share.
#pragma once

#include "millrace/graph/shape_context.h"

namespace millrace::ops {

// The texts of the arguments.
#define MR_SPARSE_INPUTS \
  "sparse_indices: int64, sparse_values: T, sparse_shape: int64"
#define MR_SPARSE_OUTPUTS \
  "sparse_indices: int64, sparse_values: dtype, sparse_shape: int64"

// Requires a sparse tensor in inputs 0 to 2, and sets output 0 to `shape`.
Status SparseTo(ShapeContext& c, PartialShape shape);

// Sets outputs 0 to 2 to a sparse tensor of which nothing is known.
Status ReturnSparse(ShapeContext& c);

}  // namespace millrace::ops
