// The shape function of pooling images.
#pragma once

#include "millrace/graph/shape_context.h"

namespace millrace::ops {

// By the attributes ksize, strides and padding; sets output 0.
Status Pool2DShape(ShapeContext& c);

}  // namespace millrace::ops
