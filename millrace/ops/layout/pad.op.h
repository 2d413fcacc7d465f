// The shape function of putting edges around tensors.
#pragma once

#include "millrace/graph/shape_context.h"

namespace millrace::ops {

enum class Paddings { kAdded, kTakenOff };

// Sets output 0 to the shape of input 0 with the paddings that input 1 holds
// added to its sizes, or taken off.
Status PaddedShape(ShapeContext& c, Paddings paddings);

}  // namespace millrace::ops
