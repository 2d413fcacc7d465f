#include "millrace/graph/shape_context.h"

namespace millrace {
namespace {

// The shapes that the attribute promises, else unknown ones.
Status OutputShapes(ShapeContext& c) {
  MR_ASSIGN(const AttrValue::ShapeList shapes,
            c.Attr<AttrValue::ShapeList>("output_shapes"));
  if (shapes.empty()) return shapes::Unknown(c);
  if (static_cast<int>(shapes.size()) != c.num_outputs()) {
    return InvalidArgument(
        "`output_shapes` must be the same length as the "
        "outputs (",
        shapes.size(), " vs. ", c.num_outputs(), ")");
  }
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, shapes[i]);
  return OkStatus();
}

// A loop's outputs are of its inputs' rank at most; sizes may change.
Status WhileShape(ShapeContext& c) {
  MR_ASSIGN(const AttrValue::ShapeList shapes,
            c.Attr<AttrValue::ShapeList>("output_shapes"));
  if (!shapes.empty()) return OutputShapes(c);
  return shapes::Unknown(c);
}

// What is known of a handle, as TensorFlow says it of arguments.
Status ArgShape(ShapeContext& c) {
  const auto types = c.Attr<AttrValue::TypeList>("_handle_dtypes");
  const auto shapes = c.Attr<AttrValue::ShapeList>("_handle_shapes");
  if (types.ok() && shapes.ok() && types->size() == shapes->size()) {
    std::vector<HandleShape> handles;
    for (size_t i = 0; i < types->size(); ++i)
      handles.push_back({(*types)[i], (*shapes)[i]});
    c.set_output_handles(0, std::move(handles));
  }
  return shapes::Unknown(c);
}

}  // namespace
}  // namespace millrace

namespace millrace::ops {

MR_OP(_Arg){
    .outputs = "output: T",
    .attrs = "T: type; index: int >= 0",
    .flags = kStateful,
    .shape = ArgShape,
    .doc = "An argument of a function, or a fed tensor of a run.",
};

MR_OP(_Retval){
    .inputs = "input: T",
    .attrs = "T: type; index: int >= 0",
    .flags = kStateful,
    .shape = shapes::NoOutputs,
    .doc = "A result of a function, or a fetched tensor of a run.",
};

#define MR_CALL_ATTRS                                                     \
  "Tin: list(type) >= 0; Tout: list(type) >= 0; f: func; config: string " \
  "= ''; config_proto: string = ''; executor_type: string = ''"

MR_OP(PartitionedCall){
    .inputs = "args: Tin",
    .outputs = "output: Tout",
    .attrs = MR_CALL_ATTRS,
    .shape = shapes::Unknown,
    .doc = "Calls a function of the graph's library.",
};

MR_OP(StatefulPartitionedCall){
    .inputs = "args: Tin",
    .outputs = "output: Tout",
    .attrs = MR_CALL_ATTRS,
    .flags = kStateful,
    .shape = shapes::Unknown,
    .doc = "Calls a function that has state or effects.",
};

#define MR_IF_ATTRS                                            \
  "Tcond: type; Tin: list(type) >= 0; Tout: list(type) >= 0; " \
  "then_branch: func; else_branch: func; output_shapes: list(shape) = []"

MR_OP(StatelessIf){
    .inputs = "cond: Tcond, input: Tin",
    .outputs = "output: Tout",
    .attrs = MR_IF_ATTRS,
    .shape = OutputShapes,
    .doc =
        "Calls one of two functions. A condition that is no bool counts as "
        "true if it is not zero, not empty.",
};

MR_OP(If){
    .inputs = "cond: Tcond, input: Tin",
    .outputs = "output: Tout",
    .attrs = MR_IF_ATTRS,
    .flags = kStateful,
    .shape = OutputShapes,
    .doc = "StatelessIf for functions that have state or effects.",
};

#define MR_CASE_ATTRS                                                        \
  "Tin: list(type) >= 0; Tout: list(type) >= 0; branches: list(func) >= 1; " \
  "output_shapes: list(shape) = []"

MR_OP(StatelessCase){
    .inputs = "branch_index: int32, input: Tin",
    .outputs = "output: Tout",
    .attrs = MR_CASE_ATTRS,
    .shape = OutputShapes,
    .doc =
        "Calls the function of `branches` with this number, the last one for "
        "numbers that none has.",
};

MR_OP(Case){
    .inputs = "branch_index: int32, input: Tin",
    .outputs = "output: Tout",
    .attrs = MR_CASE_ATTRS,
    .flags = kStateful,
    .shape = OutputShapes,
    .doc = "StatelessCase for functions that have state or effects.",
};

#define MR_WHILE_ATTRS                                          \
  "T: list(type) >= 0; cond: func; body: func; output_shapes: " \
  "list(shape) = []; parallel_iterations: int = 10"

MR_OP(StatelessWhile){
    .inputs = "input: T",
    .outputs = "output: T",
    .attrs = MR_WHILE_ATTRS,
    .shape = WhileShape,
    .doc = "Calls `body` on its own results as long as `cond` of them is true.",
};

MR_OP(While){
    .inputs = "input: T",
    .outputs = "output: T",
    .attrs = MR_WHILE_ATTRS,
    .flags = kStateful,
    .shape = WhileShape,
    .doc = "StatelessWhile for functions that have state or effects.",
};

}  // namespace millrace::ops
