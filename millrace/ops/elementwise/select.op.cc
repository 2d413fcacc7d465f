#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

// The condition has the shape of the operands, or is a scalar, or a vector as
// long as their first dimension.
Status SelectShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(PartialShape data,
                      ShapeContext::MergeShapes(c.input(1), c.input(2)));
  const PartialShape& condition = c.input(0);
  if (condition.known_rank() && data.known_rank() && condition.rank() != 0) {
    if (condition.rank() == 1 && data.rank() > 1) {
      MR_ASSIGN_OR_RETURN(int64_t batches, ShapeContext::MergeDims(
                                               condition.dim(0), data.dim(0)));
      data.set_dim(0, batches);
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
