#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

Status ShapeAttr(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(PartialShape shape, c.Attr<PartialShape>("shape"));
  return c.Return(std::move(shape));
}

// Up to version 21 the shape of a scalar also stood for an unknown one.
Status ShapeOfPlaceholder(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(PartialShape shape, c.Attr<PartialShape>("shape"));
  const bool is_old = c.producer() > 0 && c.producer() <= 21;
  if (is_old && shape.known_rank() && shape.rank() == 0) {
    shape = PartialShape();
  }
  return c.Return(std::move(shape));
}

}  // namespace

MR_OP(Placeholder){
    .outputs = "output: dtype",
    .attrs = "dtype: type; shape: shape = null",
    .role = OpRole::kPlaceholder,
    .shape = ShapeOfPlaceholder,
    .doc =
        "Stands for a value that every step must feed. An unknown or partial "
        "`shape` restricts "
        "what may be fed.",
};

MR_OP(PlaceholderV2){
    .outputs = "output: dtype",
    .attrs = "dtype: type; shape: shape",
    .role = OpRole::kPlaceholder,
    .shape = ShapeAttr,
    .doc = "Placeholder with a mandatory shape.",
    .deprecated_version = 23,
    .deprecated_hint = "Placeholder now behaves the same as PlaceholderV2.",
};

MR_OP(PlaceholderWithDefault){
    .inputs = "input: dtype",
    .outputs = "output: dtype",
    .attrs = "dtype: type; shape: shape",
    .role = OpRole::kPlaceholderWithDefault,
    .shape = [](ShapeContext& c) -> Status {
      MR_ASSIGN_OR_RETURN(PartialShape shape, c.Attr<PartialShape>("shape"));
      MR_RETURN_IF_ERROR(ShapeContext::MergeShapes(c.input(0), shape).status());
      return c.Return(std::move(shape));
    },
    .doc = "Gives `input` unless the step feeds another value.",
};

}  // namespace millrace::ops
