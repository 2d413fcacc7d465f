#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

// Sets what is known of a handle, which TensorFlow keeps in attributes of
// arguments.
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

MR_OP(_Arg){
    .outputs = "output: T",
    .attrs = "T: type; index: int >= 0",
    .flags = kStateful,
    .role = OpRole::kArg,
    .shape = ArgShape,
    .doc = "An argument of a function, or a fed tensor of a run.",
};

MR_OP(_Retval){
    .inputs = "input: T",
    .attrs = "T: type; index: int >= 0",
    .flags = kStateful,
    .role = OpRole::kRetval,
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
    .role = OpRole::kCall,
    .shape = shapes::Unknown,
    .doc = "Calls a function of the graph's library.",
};

MR_OP(StatefulPartitionedCall){
    .inputs = "args: Tin",
    .outputs = "output: Tout",
    .attrs = MR_CALL_ATTRS,
    .flags = kStateful,
    .role = OpRole::kCall,
    .shape = shapes::Unknown,
    .doc = "Calls a function that has state or effects.",
};

}  // namespace millrace::ops
