#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

Status ValueShapes(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(0, 0).status());
  MR_ASSIGN_OR_RETURN(const AttrValue::ShapeList shapes,
                      c.Attr<AttrValue::ShapeList>("output_shapes"));
  if (static_cast<int>(shapes.size()) != c.num_outputs()) {
    return InvalidArgument(
        "output_types and output_shapes must be same length, got:\n"
        "output_types: ",
        c.num_outputs(), "\noutput_shapes: ", shapes.size());
  }
  for (int i = 0; i < c.num_outputs(); ++i) {
    c.set_output(i, shapes[static_cast<size_t>(i)]);
  }
  return OkStatus();
}

}  // namespace

MR_OP(OptionalFromValue){
    .inputs = "components: Toutput_types",
    .outputs = "optional: variant",
    .attrs = "Toutput_types: list(type) >= 1",
    .shape = shapes::Scalar,
    .doc = "Tensors, as something that might also be missing.",
};

MR_OP(OptionalNone){
    .outputs = "optional: variant",
    .shape = shapes::Scalar,
    .doc = "Nothing.",
};

MR_OP(OptionalHasValue){
    .inputs = "optional: variant",
    .outputs = "has_value: bool",
    .shape = shapes::Scalar,
    .doc = "Returns whether there are tensors.",
};

MR_OP(OptionalGetValue){
    .inputs = "optional: variant",
    .outputs = "components: output_types",
    .attrs = "output_types: list(type) >= 1; output_shapes: list(shape) >= 1",
    .shape = ValueShapes,
    .doc = "The tensors; an error if there are none.",
};

}  // namespace millrace::ops
