// What the declarations of pooling ops share: shape functions and the texts of
// attributes.
#pragma once

#include "millrace/graph/shape_context.h"

namespace millrace::ops {

// Set output 0 to the pooled input 0, an image or a volume, by the attributes
// ksize, strides and padding.
Status Pool2DShape(ShapeContext& c);
Status Pool3DShape(ShapeContext& c);
// The same for images where ksize and strides are the inputs `first` and
// `first` + 1; the rank alone is known where these are not.
Status PoolShapeOfInputs(ShapeContext& c, int first);

// The texts of attributes; `n` is the rank, a text.
#define MR_POOL_SIZES(n) \
  "ksize: list(int) >= " n "; strides: list(int) >= " n "; "
#define MR_POOL_PADDING "padding: {'SAME', 'VALID'}"
#define MR_POOL_FORMAT "; data_format: {'NHWC', 'NCHW'} = 'NHWC'"
#define MR_POOL_FORMAT_3D "; data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'"

}  // namespace millrace::ops
