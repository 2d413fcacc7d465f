#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

Status FakeParamShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(PartialShape shape, c.Attr<PartialShape>("shape"));
  return c.Return(std::move(shape));
}

}  // namespace

MR_OP(FakeParam){
    .outputs = "output: dtype",
    .attrs = "dtype: type; shape: shape",
    .shape = FakeParamShape,
    .doc =
        "Stands for a value that nothing reads: what one branch of a "
        "conditional gives in the place of a value of the other branch.",
};

}  // namespace millrace::ops
