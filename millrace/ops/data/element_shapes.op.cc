#include "millrace/ops/data/element_shapes.op.h"

namespace millrace::ops {

Status ComponentShapes(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(0, 0).status());
  return ReducedShapes(c);
}

Status ReducedShapes(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const AttrValue::ShapeList shapes,
                      c.Attr<AttrValue::ShapeList>("output_shapes"));
  if (static_cast<int>(shapes.size()) != c.num_outputs()) {
    return InvalidArgument("Number of components does not match: there are ",
                           c.num_outputs(), " types in `output_types` and ",
                           shapes.size(), " shapes in `output_shapes`");
  }
  for (int i = 0; i < c.num_outputs(); ++i) {
    c.set_output(i, shapes[static_cast<size_t>(i)]);
  }
  return OkStatus();
}

Status DatasetFromScalars(ShapeContext& c) {
  for (int i = 0; i < c.num_inputs(); ++i) {
    MR_RETURN_IF_ERROR(c.WithRank(i, 0).status());
  }
  return shapes::Scalar(c);
}

}  // namespace millrace::ops
