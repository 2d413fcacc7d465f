#include "millrace/graph/shape_context.h"

namespace millrace {
namespace {

Status AssignShape(ShapeContext& c) {
  MR_ASSIGN(const bool validate, c.Attr<bool>("validate_shape"));
  if (!validate) return c.Return(c.input(1));
  MR_ASSIGN(PartialShape merged,
            ShapeContext::MergeShapes(c.input(0), c.input(1)));
  return c.Return(std::move(merged));
}

Status HandleOutput(ShapeContext& c) {
  if (c.input_handles(0).empty()) return c.Return(PartialShape());
  MR_ASSIGN(const DataType dtype, c.Attr<DataType>("dtype"));
  const HandleShape& handle = c.input_handles(0)[0];
  if (handle.dtype != dtype) {
    return InvalidArgument(
        "Trying to read variable with wrong dtype. Expected ",
        DataTypeName(handle.dtype), " got ", DataTypeName(dtype));
  }
  return c.Return(handle.shape);
}

Status HandlesOutput(ShapeContext& c) {
  if (c.num_inputs() != c.num_outputs()) {
    return InvalidArgument(
        "there must be as many dtypes as resources, but are ", c.num_outputs(),
        " and ", c.num_inputs());
  }
  for (int i = 0; i < c.num_inputs(); ++i) {
    c.set_output(i, c.input_handles(i).empty() ? PartialShape()
                                               : c.input_handles(i)[0].shape);
  }
  return OkStatus();
}

Status HandleUpdate(ShapeContext& c) {
  if (c.input_handles(0).empty()) return OkStatus();
  MR_ASSIGN(const DataType dtype, c.Attr<DataType>("dtype"));
  const HandleShape& handle = c.input_handles(0)[0];
  if (handle.dtype != dtype) {
    return InvalidArgument(
        "Trying to assign variable with wrong dtype. Expected ",
        DataTypeName(handle.dtype), " got ", DataTypeName(dtype));
  }
  return ShapeContext::MergeShapes(handle.shape, c.input(1)).status();
}

Status CountShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(0, 0).status());
  return c.Return(PartialShape({}));
}

}  // namespace
}  // namespace millrace

namespace millrace::ops {

MR_OP(Assign){
    .inputs = "ref: Ref(T), value: T",
    .outputs = "output_ref: Ref(T)",
    .attrs = "T: type; validate_shape: bool = true; use_locking: bool = true",
    .flags = kAllowsUninitialized,
    .shape = AssignShape,
    .doc = "Gives a reference variable a new value.",
};

#define MR_UPDATE_ATTRS "T: numbertype; use_locking: bool = false"

MR_OP(AssignAdd){
    .inputs = "ref: Ref(T), value: T",
    .outputs = "output_ref: Ref(T)",
    .attrs = MR_UPDATE_ATTRS,
    .shape = shapes::MergeAll,
    .doc = "Adds to a reference variable.",
};

MR_OP(AssignSub){
    .inputs = "ref: Ref(T), value: T",
    .outputs = "output_ref: Ref(T)",
    .attrs = MR_UPDATE_ATTRS,
    .shape = shapes::MergeAll,
    .doc = "Subtracts from a reference variable.",
};

MR_OP(CountUpTo){
    .inputs = "ref: Ref(T)",
    .outputs = "output: T",
    .attrs = "limit: int; T: {int32, int64}",
    .shape = CountShape,
    .doc =
        "Increments a scalar variable and gives its old value; OUT_OF_RANGE "
        "at `limit`.",
};

MR_OP(ResourceCountUpTo){
    .inputs = "resource: resource",
    .outputs = "output: T",
    .attrs = "limit: int; T: {int32, int64}",
    .flags = kStateful,
    .shape = [](ShapeContext& c) -> Status {
      return c.Return(PartialShape({}));
    },
    .doc = "CountUpTo for resource variables.",
};

MR_OP(ReadVariableOp){
    .inputs = "resource: resource",
    .outputs = "value: dtype",
    .attrs = "dtype: type",
    .flags = kStateful,
    .shape = HandleOutput,
    .doc = "The value of a resource variable.",
};

MR_OP(_ReadVariablesOp){
    .inputs = "resources: N * resource",
    .outputs = "values: dtypes",
    .attrs = "N: int >= 0; dtypes: list(type) >= 1",
    .flags = kStateful,
    .shape = HandlesOutput,
    .doc = "The values of several resource variables.",
};

MR_OP(AssignVariableOp){
    .inputs = "resource: resource, value: dtype",
    .attrs = "dtype: type; validate_shape: bool = false",
    .flags = kStateful,
    .shape = HandleUpdate,
    .doc = "Gives a resource variable a new value.",
};

MR_OP(AssignAddVariableOp){
    .inputs = "resource: resource, value: dtype",
    .attrs = "dtype: type",
    .flags = kStateful,
    .shape = HandleUpdate,
    .doc = "Adds to a resource variable.",
};

MR_OP(AssignSubVariableOp){
    .inputs = "resource: resource, value: dtype",
    .attrs = "dtype: type",
    .flags = kStateful,
    .shape = HandleUpdate,
    .doc = "Subtracts from a resource variable.",
};

}  // namespace millrace::ops
