#include "millrace/ops/state/declared_shape.op.h"

namespace millrace::ops {
namespace {

// A variable of the first generation with an empty shape may hold any value:
// its attribute then means nothing.
Status FirstGenerationShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(PartialShape shape, c.Attr<PartialShape>("shape"));
  if (shape.known_rank() && shape.rank() == 0) return c.Return(PartialShape());
  return c.Return(std::move(shape));
}

Status HandleShapeFromAttr(ShapeContext& c) {
  HandleShape handle;
  MR_ASSIGN_OR_RETURN(handle.dtype, c.Attr<DataType>("dtype"));
  MR_ASSIGN_OR_RETURN(handle.shape, c.Attr<PartialShape>("shape"));
  c.set_output_handles(0, {handle});
  return c.Return(PartialShape({}));
}

Status ShapeOfVariable(ShapeContext& c) {
  if (c.input_handles(0).empty()) {
    return c.Return(PartialShape({kUnknownDim}));
  }
  const PartialShape& shape = c.input_handles(0)[0].shape;
  return c.Return(PartialShape({static_cast<int64_t>(shape.rank())}));
}

}  // namespace

#define MR_VARIABLE_ATTRS                                                     \
  "shape: shape; dtype: type; container: string = ''; shared_name: string = " \
  "''"

MR_OP(VariableV2){
    .outputs = "ref: Ref(dtype)",
    .attrs = MR_VARIABLE_ATTRS,
    .flags = kStateful | kGivesVariable | kOnParameterServers,
    .shape = DeclaredShape,
    .doc =
        "A variable, as a reference. It lives in its container until that is "
        "reset.",
};

MR_OP(Variable){
    .outputs = "ref: Ref(dtype)",
    .attrs = MR_VARIABLE_ATTRS,
    .flags = kStateful | kGivesVariable | kOnParameterServers,
    .shape = FirstGenerationShape,
    .doc = "The older form of VariableV2: an empty `shape` means any.",
};

MR_OP(VarHandleOp){
    .outputs = "resource: resource",
    .attrs =
        "container: string = ''; shared_name: string = ''; debug_name: "
        "string = ''; dtype: type; shape: shape; allowed_devices: "
        "list(string) = []",
    .flags = kStateful | kGivesVariable | kOnParameterServers,
    .shape = HandleShapeFromAttr,
    .doc = "The handle of a resource variable.",
};

MR_OP(VarIsInitializedOp){
    .inputs = "resource: resource",
    .outputs = "is_initialized: bool",
    .flags = kStateful | kReadsVariable,
    .shape = shapes::Scalar,
    .doc = "Returns whether a resource variable has a value.",
};

MR_OP(IsVariableInitialized){
    .inputs = "ref: Ref(dtype)",
    .outputs = "is_initialized: bool",
    .attrs = "dtype: type",
    .flags = kAllowsUninitialized | kReadsVariable,
    .shape = shapes::Scalar,
    .doc = "Returns whether a reference variable has a value.",
};

MR_OP(DestroyResourceOp){
    .inputs = "resource: resource",
    .attrs = "ignore_lookup_error: bool = true",
    .flags = kStateful,
    .shape = shapes::NoOutputs,
    .doc = "Takes the resource out of its container.",
};

MR_OP(DisableCopyOnRead){
    .inputs = "resource: resource",
    .flags = kStateful,
    .shape = shapes::NoOutputs,
    .doc =
        "Does nothing here: reads after sparse updates stay safe, see "
        "kernel/variable.h.",
};

MR_OP(VariableShape){
    .inputs = "input: resource",
    .outputs = "output: out_type",
    .attrs = "out_type: {int32, int64} = int32",
    .flags = kStateful | kReadsVariable,
    .shape = ShapeOfVariable,
    .doc = "The shape of a resource variable's value.",
};

}  // namespace millrace::ops
