// The shape function of padding tensors.
#pragma once

#include "millrace/graph/shape_context.h"

namespace millrace::ops {

enum class Paddings { kAdded, kTakenOff };

// Sets output 0 to the shape of input 0 with the paddings that input 1 holds
// added to its sizes, or subtracted from them.
Status PaddedShape(ShapeContext& c, Paddings paddings);

}  // namespace millrace::ops
