#include "millrace/ops/variant/list_shapes.op.h"

namespace millrace::ops {
namespace {

// Sets output 0 to a new list whose element shape is input `shape_input`.
Status NewList(ShapeContext& c, int shape_input) {
  MR_ASSIGN_OR_RETURN(const DataType dtype, c.Attr<DataType>("element_dtype"));
  MR_ASSIGN_OR_RETURN(PartialShape element, c.ShapeFromInput(shape_input));
  return ReturnList(c, dtype, std::move(element));
}

Status EmptyShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  return NewList(c, 0);
}

Status PushShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const DataType dtype, c.Attr<DataType>("element_dtype"));
  const HandleShape* const elements = ElementsOf(c);
  if (elements == nullptr) return ReturnList(c, dtype, PartialShape());
  MR_RETURN_IF_ERROR(MergeElements(c, c.input(1)).status());
  return ReturnList(c, dtype, elements->shape);
}

// Input 1 is the shape of the popped element; the other elements may have
// different shapes. Stock does not read it here.
Status PopShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const DataType dtype, c.Attr<DataType>("element_dtype"));
  MR_ASSIGN_OR_RETURN(PartialShape element, MergeElements(c, PartialShape()));
  c.set_output(1, element);
  return ReturnList(c, dtype, std::move(element));
}

Status LengthOfShape(ShapeContext& c) {
  const HandleShape* const elements = ElementsOf(c);
  // An unknown rank may become known when the graph runs.
  if (elements == nullptr || !elements->shape.known_rank()) {
    return shapes::Unknown(c);
  }
  return c.Return(PartialShape({elements->shape.rank()}));
}

Status GetShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  MR_ASSIGN_OR_RETURN(PartialShape element, c.ShapeFromInput(2));
  MR_ASSIGN_OR_RETURN(element, MergeElements(c, std::move(element)));
  return c.Return(std::move(element));
}

Status SetShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  MR_ASSIGN_OR_RETURN(const DataType dtype, c.Attr<DataType>("element_dtype"));
  const HandleShape* const elements = ElementsOf(c);
  if (elements == nullptr) return ReturnList(c, dtype, PartialShape());
  MR_RETURN_IF_ERROR(MergeElements(c, c.input(2)).status());
  return ReturnList(c, dtype, elements->shape);
}

Status ResizeShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  c.set_output_handles(0, c.input_handles(0));
  return c.Return(PartialShape({}));
}

}  // namespace

MR_OP(EmptyTensorList){
    .inputs = "element_shape: shape_type, max_num_elements: int32",
    .outputs = "handle: variant",
    .attrs = "element_dtype: type; shape_type: {int32, int64}",
    .shape = EmptyShape,
    .doc =
        "A list without elements, which takes at most `max_num_elements` (-1: "
        "any number) by pushing.",
};

MR_OP(TensorListReserve){
    .inputs = "element_shape: shape_type, num_elements: int32",
    .outputs = "handle: variant",
    .attrs = "element_dtype: type; shape_type: {int32, int64}",
    .shape = [](ShapeContext& c) { return NewList(c, 0); },
    .doc = "A list of elements that are not set yet and count as zeros.",
};

MR_OP(TensorListPushBack){
    .inputs = "input_handle: variant, tensor: element_dtype",
    .outputs = "output_handle: variant",
    .attrs = "element_dtype: type",
    .shape = PushShape,
    .doc = "The list with `tensor` as one more element.",
};

MR_OP(TensorListPopBack){
    .inputs = "input_handle: variant, element_shape: int32",
    .outputs = "output_handle: variant, tensor: element_dtype",
    .attrs = "element_dtype: type",
    .shape = PopShape,
    .doc = "The list without its last element, and that element.",
};

MR_OP(TensorListLength){
    .inputs = "input_handle: variant",
    .outputs = "length: int32",
    .shape = shapes::Scalar,
    .doc = "The number of elements.",
};

MR_OP(TensorListElementShape){
    .inputs = "input_handle: variant",
    .outputs = "element_shape: shape_type",
    .attrs = "shape_type: {int32, int64}",
    .shape = LengthOfShape,
    .doc =
        "The shape that all elements have, with -1 for sizes that are not "
        "known; the scalar -1 if the rank is not known.",
};

MR_OP(TensorListResize){
    .inputs = "input_handle: variant, size: int32",
    .outputs = "output_handle: variant",
    .shape = ResizeShape,
    .doc = "The list cut or filled up with elements that are not set.",
};

MR_OP(TensorListGetItem){
    .inputs = "input_handle: variant, index: int32, element_shape: Tshape",
    .outputs = "item: element_dtype",
    .attrs = R"(element_dtype: type; Tshape: {int32, int64} = "int32")",
    .shape = GetShape,
    .doc = "An element.",
};

MR_OP(TensorListSetItem){
    .inputs = "input_handle: variant, index: int32, item: element_dtype",
    .outputs = "output_handle: variant",
    .attrs = "element_dtype: type; resize_if_index_out_of_bounds: bool = false",
    .shape = SetShape,
    .doc = "The list with another element `index`.",
};

}  // namespace millrace::ops
