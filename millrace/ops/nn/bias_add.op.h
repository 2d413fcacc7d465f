// The shape function of adding a bias.
#pragma once

#include "millrace/graph/shape_context.h"

namespace millrace::ops {

// Output 0 from input 0 and the bias, input 1.
Status BiasAddShape(ShapeContext& c);

}  // namespace millrace::ops
