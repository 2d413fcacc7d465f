#include "millrace/ops/control_flow/empty_rows.grad.h"

#include "millrace/client/gradients/grad_shapes.h"

namespace millrace::ops {

IndexedSlices EmptyRows(const Scope& scope, const Output& x,
                        const IndexedSlices& like) {
  // A shape op is added even if the shape is known: a constant would be alive
  // everywhere.
  const Output shape = x.dtype() == DataType::kResource
                           ? VariableShape(scope, x)
                           : Shape(scope, x);
  const Scope where = scope.WithControlDependencies({shape});
  const Output none = Const(where, std::vector<int32_t>{0});
  IndexedSlices rows;
  rows.values =
      Fill(scope, ConcatV2(scope, {none, Part(scope, shape, 1, kToEnd)}, 0),
           Const(where, 0, like.dtype()));
  rows.indices = Fill(scope, none, Const(where, 0, like.indices.dtype()));
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
