#include "millrace/ops/control_flow/all_rows.grad.h"

#include "millrace/client/gradients/grad_shapes.h"

namespace millrace::ops {

IndexedSlices AllRows(const Scope& scope, const Output& x,
                      const IndexedSlices& like) {
  // A shape op is added even if the shape is known: a constant would be alive
  // everywhere.
  const Output shape = Shape(scope, x, {.out_type = like.indices.dtype()});
  IndexedSlices rows;
  rows.values = x;
  rows.indices = Range(scope, 0, Element(scope, shape, 0), 1);
  if (like.dense_shape) {
    rows.dense_shape = like.dense_shape.dtype() == shape.dtype()
                           ? shape
                           : Cast(scope, shape, like.dense_shape.dtype());
  }
  return rows;
}

void MatchRows(const Scope& scope, IndexedSlices* a, IndexedSlices* b) {
  const auto match = [&scope](Output* x, Output* y) {
    if (x->dtype() == y->dtype()) return;
    for (Output* t : {x, y}) {
      if (t->dtype() != DataType::kInt64)
        *t = Cast(scope, *t, DataType::kInt64);
    }
  };
  match(&a->indices, &b->indices);
  if (a->dense_shape && b->dense_shape) {
    match(&a->dense_shape, &b->dense_shape);
  } else {
    a->dense_shape = b->dense_shape = Output();
  }
}

}  // namespace millrace::ops
