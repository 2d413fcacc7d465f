// The shape function of BiasAdd, which other ops share.
#pragma once

#include "millrace/graph/shape_context.h"

namespace millrace::ops {

// Sets output 0 from input 0 and the bias, input 1.
Status BiasAddShape(ShapeContext& c);

}  // namespace millrace::ops
