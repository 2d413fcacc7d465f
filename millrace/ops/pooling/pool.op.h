// Shape functions and texts of attributes that the schemas of pooling ops
// share.
#pragma once

#include "millrace/graph/shape_context.h"

namespace millrace::ops {

// Set output 0 to the pooled input 0, an image or a volume, by the attributes
// ksize, strides and padding.
Status Pool2DShape(ShapeContext& c);
Status Pool3DShape(ShapeContext& c);
// Sets output 0 of image pooling whose ksize and strides are the inputs `first`
// and `first` + 1; only the rank is known if these are not.
Status PoolShapeOfInputs(ShapeContext& c, int first);

// The texts of attributes; `n` is the rank as text.
#define MR_POOL_SIZES(n) \
  "ksize: list(int) >= " n "; strides: list(int) >= " n "; "
#define MR_POOL_PADDING "padding: {'SAME', 'VALID'}"
#define MR_POOL_FORMAT "; data_format: {'NHWC', 'NCHW'} = 'NHWC'"
#define MR_POOL_FORMAT_3D "; data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'"

}  // namespace millrace::ops
