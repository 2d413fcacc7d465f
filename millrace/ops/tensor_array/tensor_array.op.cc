#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

// Returns what is known of an array's elements, or null if nothing is.
const HandleShape* ElementsOf(ShapeContext& c) {
  const std::vector<HandleShape>& handles = c.input_handles(0);
  return handles.empty() ? nullptr : &handles[0];
}

// Requires these inputs to be scalars.
Status Scalars(ShapeContext& c, std::initializer_list<int> inputs) {
  for (int i : inputs) MR_RETURN_IF_ERROR(c.WithRank(i, 0).status());
  return OkStatus();
}

Status ArrayShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(Scalars(c, {0}));
  MR_ASSIGN_OR_RETURN(const DataType dtype, c.Attr<DataType>("dtype"));
  MR_ASSIGN_OR_RETURN(PartialShape element,
                      c.Attr<PartialShape>("element_shape"));
  MR_ASSIGN_OR_RETURN(const bool identical,
                      c.Attr<bool>("identical_element_shapes"));
  if (identical || element.IsFullyDefined()) {
    c.set_output_handles(0, {{dtype, std::move(element)}});
  }
  return shapes::Scalar(c);
}

Status GradientShape(ShapeContext& c) {
  c.set_output_handles(0, c.input_handles(0));
  return shapes::Scalar(c);
}

Status GradientWithShape(ShapeContext& c) {
  if (const HandleShape* const elements = ElementsOf(c)) {
    MR_ASSIGN_OR_RETURN(const PartialShape prepended, c.ShapeFromInput(2));
    c.set_output_handles(
        0, {{elements->dtype, prepended.Concatenate(elements->shape)}});
  }
  return shapes::Scalar(c);
}

Status WriteShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(Scalars(c, {1, 3}));
  if (const HandleShape* const elements = ElementsOf(c)) {
    MR_RETURN_IF_ERROR(
        ShapeContext::MergeShapes(elements->shape, c.input(2)).status());
  }
  return shapes::Scalar(c);
}

Status ReadShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(Scalars(c, {1, 2}));
  const HandleShape* const elements = ElementsOf(c);
  return c.Return(elements == nullptr ? PartialShape() : elements->shape);
}

Status GatherShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const PartialShape indices, c.WithRank(1, 1));
  MR_RETURN_IF_ERROR(Scalars(c, {2}));
  if (const HandleShape* const elements = ElementsOf(c)) {
    return c.Return(indices.Concatenate(elements->shape));
  }
  MR_ASSIGN_OR_RETURN(const PartialShape element,
                      c.Attr<PartialShape>("element_shape"));
  return c.Return(indices.Concatenate(element));
}

Status ScatterShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const PartialShape indices, c.WithRank(1, 1));
  MR_RETURN_IF_ERROR(Scalars(c, {3}));
  const PartialShape& value = c.input(2);
  MR_RETURN_IF_ERROR(
      ShapeContext::MergeDims(indices.dim(0), ShapeContext::Dim(value, 0))
          .status());
  const HandleShape* const elements = ElementsOf(c);
  if (elements != nullptr && value.known_rank() && value.rank() > 0) {
    MR_ASSIGN_OR_RETURN(const PartialShape row,
                        ShapeContext::Subshape(value, 1));
    MR_RETURN_IF_ERROR(
        ShapeContext::MergeShapes(elements->shape, row).status());
  }
  return shapes::Scalar(c);
}

Status ConcatShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(Scalars(c, {1}));
  c.set_output(0, PartialShape());
  c.set_output(1, PartialShape({kUnknownDim}));
  return OkStatus();
}

}  // namespace

MR_OP(TensorArrayV3){
    .inputs = "size: int32",
    .outputs = "handle: resource, flow: float",
    .attrs =
        "dtype: type; element_shape: shape = null; dynamic_size: bool = false; "
        "clear_after_read: bool = true; identical_element_shapes: bool = "
        "false; tensor_array_name: string = ''",
    .flags = kStateful,
    .shape = ArrayShape,
    .doc =
        "An array of `size` tensors that lives for one step. `flow`, a float "
        "without meaning, orders what is done to it.",
};

MR_OP(TensorArrayGradV3){
    .inputs = "handle: resource, flow_in: float",
    .outputs = "grad_handle: resource, flow_out: float",
    .attrs = "source: string",
    .flags = kStateful,
    .shape = GradientShape,
    .doc =
        "The array of the gradients of an array, one for each `source`; made "
        "when it is first asked for.",
};

MR_OP(TensorArrayGradWithShape){
    .inputs = "handle: resource, flow_in: float, shape_to_prepend: int32",
    .outputs = "grad_handle: resource, flow_out: float",
    .attrs = "source: string",
    .flags = kStateful,
    .shape = GradientWithShape,
    .doc =
        "TensorArrayGradV3 for gradients that have `shape_to_prepend` in front "
        "of the shape of their element.",
};

MR_OP(TensorArrayWriteV3){
    .inputs = "handle: resource, index: int32, value: T, flow_in: float",
    .outputs = "flow_out: float",
    .attrs = "T: type",
    .flags = kStateful,
    .shape = WriteShape,
    .doc = "Sets an element; an array of gradients adds up what it gets.",
};

MR_OP(TensorArrayReadV3){
    .inputs = "handle: resource, index: int32, flow_in: float",
    .outputs = "value: dtype",
    .attrs = "dtype: type",
    .flags = kStateful,
    .shape = ReadShape,
    .doc = "An element.",
};

MR_OP(TensorArrayGatherV3){
    .inputs = "handle: resource, indices: int32, flow_in: float",
    .outputs = "value: dtype",
    .attrs = "dtype: type; element_shape: shape = null",
    .flags = kStateful,
    .shape = GatherShape,
    .doc = "Elements, stacked along a new dimension in front.",
};

MR_OP(TensorArrayScatterV3){
    .inputs = "handle: resource, indices: int32, value: T, flow_in: float",
    .outputs = "flow_out: float",
    .attrs = "T: type",
    .flags = kStateful,
    .shape = ScatterShape,
    .doc = "Sets elements to the rows of `value`.",
};

MR_OP(TensorArrayConcatV3){
    .inputs = "handle: resource, flow_in: float",
    .outputs = "value: dtype, lengths: int64",
    .attrs = "dtype: type; element_shape_except0: shape = null",
    .flags = kStateful,
    .shape = ConcatShape,
    .doc =
        "All elements joined along dimension 0, and how many rows each of them "
        "has.",
};

MR_OP(TensorArraySplitV3){
    .inputs = "handle: resource, value: T, lengths: int64, flow_in: float",
    .outputs = "flow_out: float",
    .attrs = "T: type",
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc = "Sets element i to the next `lengths[i]` rows of `value`.",
};

MR_OP(TensorArraySizeV3){
    .inputs = "handle: resource, flow_in: float",
    .outputs = "size: int32",
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc = "The number of elements.",
};

MR_OP(TensorArrayCloseV3){
    .inputs = "handle: resource",
    .flags = kStateful,
    .shape = shapes::NoOutputs,
    .doc = "Frees all elements before the step ends.",
};

}  // namespace millrace::ops
