#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

Status AssignShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const bool validate, c.Attr<bool>("validate_shape"));
  if (!validate) return c.Return(c.input(1));
  MR_ASSIGN_OR_RETURN(PartialShape merged,
                      ShapeContext::MergeShapes(c.input(0), c.input(1)));
  return c.Return(std::move(merged));
}

Status HandleUpdate(ShapeContext& c) {
  if (c.input_handles(0).empty()) return OkStatus();
  MR_ASSIGN_OR_RETURN(const DataType dtype, c.Attr<DataType>("dtype"));
  const HandleShape& handle = c.input_handles(0)[0];
  if (handle.dtype != dtype) {
    return InvalidArgument(
        "Trying to assign variable with wrong dtype. Expected ",
        DataTypeName(handle.dtype), " got ", DataTypeName(dtype));
  }
  return ShapeContext::MergeShapes(handle.shape, c.input(1)).status();
}

}  // namespace

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
