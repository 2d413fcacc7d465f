// Shapes that gradients of lists need.
#pragma once

#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"

namespace millrace::ops {

inline Output ElementShapeOf(GradContext& g, const Output& list) {
  return TensorListElementShape(g, list, DataType::kInt32);
}
// Returns the shape of the rows of a tensor.
inline Output RowShapeOf(GradContext& g, const Output& t) {
  return Part(g, ShapeOf(g, t), 1, kToEnd);
}

}  // namespace millrace::ops
