#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"
#include "millrace/ops/queue/by_reference.op.h"
#include "millrace/ops/tensor_array/array_shapes.op.h"

namespace millrace::ops {
namespace {

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

Status StringsOfArray(ShapeContext& c) {
  MR_RETURN_IF_ERROR(Scalars(c, {0}));
  return c.Return(PartialShape({2}));
}

Status StringsOfGradient(ShapeContext& c) {
  MR_RETURN_IF_ERROR(CheckArrayStrings(c));
  return c.Return(PartialShape({2}));
}

constexpr OpFields kWrite = {
    .inputs = "handle: resource, index: int32, value: T, flow_in: float",
    .outputs = "flow_out: float",
    .attrs = "T: type",
    .flags = kStateful,
    .shape = WriteShape,
    .doc = "Sets an element; an array of gradients adds up what it gets.",
};

constexpr OpFields kRead = {
    .inputs = "handle: resource, index: int32, flow_in: float",
    .outputs = "value: dtype",
    .attrs = "dtype: type",
    .flags = kStateful,
    .shape = ReadShape,
    .doc = "An element.",
};

constexpr OpFields kSize = {
    .inputs = "handle: resource, flow_in: float",
    .outputs = "size: int32",
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc = "The number of elements.",
};

constexpr OpFields kClose = {
    .inputs = "handle: resource",
    .flags = kStateful,
    .shape = shapes::NoOutputs,
    .doc = "Frees all elements before the step ends.",
};

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

MR_OP(TensorArrayWriteV3)(kWrite);
MR_OP(TensorArrayWriteV2)
(Until(26, "Use TensorArrayWriteV3",
       ByStrings<kWrite>(OfArrayStrings<WriteShape>)));
MR_OP(TensorArrayWrite)
(Until(16, "Use TensorArrayWriteV3", ByReference<kWrite>(shapes::Unknown)));

MR_OP(TensorArrayReadV3)(kRead);
MR_OP(TensorArrayReadV2)
(Until(26, "Use TensorArrayReadV3",
       ByStrings<kRead>(OfArrayStrings<ReadShape>)));
MR_OP(TensorArrayRead)
(Until(16, "Use TensorArrayReadV3", ByReference<kRead>(shapes::Unknown)));

MR_OP(TensorArraySizeV3)(kSize);
MR_OP(TensorArraySizeV2)
(Until(26, "Use TensorArraySizeV3",
       ByStrings<kSize>(OfArrayStrings<shapes::Scalar>)));
MR_OP(TensorArraySize)
(Until(16, "Use TensorArraySizeV3", ByReference<kSize>(shapes::Unknown)));

MR_OP(TensorArrayCloseV3)(kClose);
MR_OP(TensorArrayCloseV2)
(Until(26, "Use TensorArrayCloseV3",
       ByStrings<kClose>(OfArrayStrings<shapes::NoOutputs>)));
MR_OP(TensorArrayClose)
(Until(16, "Use TensorArrayCloseV3", ByReference<kClose>(shapes::NoOutputs)));

MR_OP(TensorArrayV2){
    .inputs = "size: int32",
    .outputs = "handle: string",
    .attrs =
        "dtype: type; element_shape: shape = null; dynamic_size: bool = false; "
        "clear_after_read: bool = true; tensor_array_name: string = ''",
    .flags = kStateful,
    .shape = StringsOfArray,
    .doc =
        "TensorArrayV3 of the second generation: two strings name the array.",
    .deprecated_version = 26,
    .deprecated_hint = "Use TensorArrayV3",
};

MR_OP(TensorArray){
    .inputs = "size: int32",
    .outputs = "handle: Ref(string)",
    .attrs =
        "dtype: type; dynamic_size: bool = false; clear_after_read: bool = "
        "true; "
        "tensor_array_name: string = ''; element_shape: shape = null",
    .flags = kStateful,
    .shape = shapes::Unknown,
    .doc = "TensorArrayV3 of the first generation.",
    .deprecated_version = 16,
    .deprecated_hint = "Use TensorArrayV3",
};

MR_OP(TensorArrayGradV2){
    .inputs = "handle: string, flow_in: float",
    .outputs = "grad_handle: string",
    .attrs = "source: string",
    .flags = kStateful,
    .shape = StringsOfGradient,
    .doc = "TensorArrayGradV3 of the second generation.",
    .deprecated_version = 26,
    .deprecated_hint = "Use TensorArrayGradV3",
};

MR_OP(TensorArrayGrad){
    .inputs = "handle: string, flow_in: float",
    .outputs = "grad_handle: Ref(string)",
    .attrs = "source: string",
    .flags = kStateful,
    .shape = shapes::Unknown,
    .doc = "TensorArrayGradV3 of the first generation.",
    .deprecated_version = 16,
    .deprecated_hint = "Use TensorArrayGradV3",
};

}  // namespace millrace::ops
