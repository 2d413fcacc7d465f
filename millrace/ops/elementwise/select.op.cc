#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

// The condition has the shape of the operands, or is a scalar, or a vector as
// long as their first dimension. A vector says nothing of that dimension: the
// shape would be stricter than TensorFlow's, and loops refuse variables whose
// shapes become less strict.
Status SelectShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(PartialShape data,
                      ShapeContext::MergeShapes(c.input(1), c.input(2)));
  const PartialShape& condition = c.input(0);
  if (condition.known_rank() && data.known_rank() && condition.rank() != 0) {
    if (condition.rank() == 1 && data.rank() > 0) {
      MR_RETURN_IF_ERROR(
          ShapeContext::MergeShapes(condition, PartialShape({data.dim(0)}))
              .status());
    } else {
      MR_ASSIGN_OR_RETURN(data, ShapeContext::MergeShapes(data, condition));
    }
  }
  return c.Return(data);
}

Status SelectV2Shape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(PartialShape data,
                      shapes::BroadcastShapes(c.input(1), c.input(2)));
  MR_ASSIGN_OR_RETURN(PartialShape all,
                      shapes::BroadcastShapes(c.input(0), data));
  return c.Return(all);
}

}  // namespace

MR_OP(Select){
    .inputs = "condition: bool, t: T, e: T",
    .outputs = "output: T",
    .attrs = "T: type",
    .shape = SelectShape,
    .doc =
        "Elements (or rows, if `condition` is a vector) of `t` where "
        "`condition` is true, of `e` elsewhere.",
};

MR_OP(SelectV2){
    .inputs = "condition: bool, t: T, e: T",
    .outputs = "output: T",
    .attrs = "T: type",
    .shape = SelectV2Shape,
    .doc =
        "Elements of `t` where `condition` is true, of `e` elsewhere; all "
        "three broadcast.",
};

}  // namespace millrace::ops
