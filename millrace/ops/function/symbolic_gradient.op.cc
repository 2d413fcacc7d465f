#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

// A gradient has the shape of its argument, or of the variable behind it.
Status GradientShapes(ShapeContext& c) {
  if (c.num_inputs() < c.num_outputs())
    return InvalidArgument("len(inputs) < len(outputs)");
  MR_ASSIGN_OR_RETURN(const auto types, c.Attr<AttrValue::TypeList>("Tin"));
  for (int i = 0; i < c.num_outputs(); ++i) {
    if (types[static_cast<size_t>(i)] != DataType::kResource) {
      c.set_output(i, c.input(i));
    } else if (!c.input_handles(i).empty()) {
      c.set_output(i, c.input_handles(i)[0].shape);
    }
  }
  return OkStatus();
}

}  // namespace

MR_OP(SymbolicGradient){
    .inputs = "input: Tin",
    .outputs = "output: Tout",
    .attrs = "Tin: list(type) >= 1; Tout: list(type) >= 1; f: func",
    .shape = GradientShapes,
    .doc =
        "Calls the gradient of a function of the graph's library: takes the "
        "function's arguments and the gradients of its results, and gives "
        "the gradients of the arguments.",
};

}  // namespace millrace::ops
