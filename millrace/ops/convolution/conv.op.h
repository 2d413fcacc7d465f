// Shape functions of convolutions, which their fused forms share.
#pragma once

#include "millrace/graph/shape_context.h"

namespace millrace::ops {

Status Conv2DShape(ShapeContext& c);
Status DepthwiseConvShape(ShapeContext& c);
Status Conv3DShape(ShapeContext& c);

}  // namespace millrace::ops
