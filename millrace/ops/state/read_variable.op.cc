#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

Status HandleOutput(ShapeContext& c) {
  if (c.input_handles(0).empty()) return c.Return(PartialShape());
  MR_ASSIGN_OR_RETURN(const DataType dtype, c.Attr<DataType>("dtype"));
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

}  // namespace

MR_OP(ReadVariableOp){
    .inputs = "resource: resource",
    .outputs = "value: dtype",
    .attrs = "dtype: type",
    .flags = kStateful | kReadsVariable,
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

}  // namespace millrace::ops
