#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

// What is known of the elements of the list in input `i`; null if nothing.
const HandleShape* ElementsOf(ShapeContext& c, int i = 0) {
  const std::vector<HandleShape>& handles = c.input_handles(i);
  return handles.size() == 1 ? &handles[0] : nullptr;
}

// Output 0 is a list of such elements.
Status ReturnList(ShapeContext& c, DataType dtype, PartialShape element) {
  c.set_output_handles(0, {{dtype, std::move(element)}});
  return c.Return(PartialShape({}));
}

// `element` and what is known of the elements of input 0, which have the type
// of the attribute.
StatusOr<PartialShape> MergeElements(ShapeContext& c, PartialShape element) {
  MR_ASSIGN(const DataType dtype, c.Attr<DataType>("element_dtype"));
  const HandleShape* const elements = ElementsOf(c);
  if (elements == nullptr) return element;
  if (elements->dtype != dtype) {
    return InvalidArgument("Expected list with element dtype ",
                           DataTypeName(dtype), " but got list with element ",
                           "dtype ", DataTypeName(elements->dtype));
  }
  return ShapeContext::MergeShapes(elements->shape, element);
}

// A new list whose element shape is input `shape_input`.
Status NewList(ShapeContext& c, int shape_input) {
  MR_ASSIGN(const DataType dtype, c.Attr<DataType>("element_dtype"));
  MR_ASSIGN(PartialShape element, c.ShapeFromInput(shape_input));
  return ReturnList(c, dtype, std::move(element));
}

// Rows of input `value` become elements of the shape that input 1 or 2 says.
StatusOr<PartialShape> RowsOfInput(ShapeContext& c, int value,
                                   int shape_input) {
  MR_ASSIGN(const PartialShape t, c.WithRankAtLeast(value, 1));
  MR_ASSIGN(const PartialShape row, ShapeContext::Subshape(t, 1));
  MR_ASSIGN(const PartialShape element, c.ShapeFromInput(shape_input));
  return ShapeContext::MergeShapes(row, element);
}

Status EmptyShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  return NewList(c, 0);
}

Status PushShape(ShapeContext& c) {
  MR_ASSIGN(const DataType dtype, c.Attr<DataType>("element_dtype"));
  const HandleShape* const elements = ElementsOf(c);
  if (elements == nullptr) return ReturnList(c, dtype, PartialShape());
  MR_RETURN_IF_ERROR(MergeElements(c, c.input(1)).status());
  return ReturnList(c, dtype, elements->shape);
}

Status PushBatchShape(ShapeContext& c) {
  MR_ASSIGN(const PartialShape t, c.WithRankAtLeast(1, 1));
  MR_ASSIGN(const PartialShape row, ShapeContext::Subshape(t, 1));
  MR_RETURN_IF_ERROR(MergeElements(c, row).status());
  MR_ASSIGN(const PartialShape lists, c.WithRank(0, 1));
  c.set_output_handles(0, c.input_handles(0));
  return c.Return(lists);
}

// Input 1 is the shape of the element that is popped, while the others may have
// different ones. Stock does not read it here.
Status PopShape(ShapeContext& c) {
  MR_ASSIGN(const DataType dtype, c.Attr<DataType>("element_dtype"));
  MR_ASSIGN(PartialShape element, MergeElements(c, PartialShape()));
  c.set_output(1, element);
  return ReturnList(c, dtype, std::move(element));
}

Status StackShape(ShapeContext& c) {
  MR_ASSIGN(PartialShape element, c.ShapeFromInput(1));
  MR_ASSIGN(element, MergeElements(c, std::move(element)));
  MR_ASSIGN(const int64_t count, c.Attr<int64_t>("num_elements"));
  return c.Return(
      PartialShape({count < 0 ? kUnknownDim : count}).Concatenate(element));
}

Status GatherShape(ShapeContext& c) {
  MR_ASSIGN(PartialShape element, c.ShapeFromInput(2));
  MR_ASSIGN(element, MergeElements(c, std::move(element)));
  MR_ASSIGN(const PartialShape indices, c.WithRank(1, 1));
  return c.Return(indices.Concatenate(element));
}

// All dimensions of the elements but the first are those of the result.
Status JoinedShape(ShapeContext& c, PartialShape element) {
  MR_ASSIGN(element, MergeElements(c, std::move(element)));
  if (element.known_rank()) {
    MR_ASSIGN(element, ShapeContext::WithRankAtLeast(element, 1));
    element.set_dim(0, kUnknownDim);
  }
  c.set_output(0, std::move(element));
  c.set_output(1, PartialShape({kUnknownDim}));
  return OkStatus();
}

Status ConcatShape(ShapeContext& c) {
  MR_ASSIGN(PartialShape element, c.Attr<PartialShape>("element_shape"));
  return JoinedShape(c, std::move(element));
}

Status ConcatV2Shape(ShapeContext& c) {
  MR_ASSIGN(PartialShape element, c.ShapeFromInput(1));
  return JoinedShape(c, std::move(element));
}

Status FromTensorShape(ShapeContext& c) {
  MR_ASSIGN(const DataType dtype, c.Attr<DataType>("element_dtype"));
  MR_RETURN_IF_ERROR(RowsOfInput(c, 0, 1).status());
  MR_ASSIGN(PartialShape element, c.ShapeFromInput(1));
  return ReturnList(c, dtype, std::move(element));
}

Status ScatterShape(ShapeContext& c) {
  MR_ASSIGN(const DataType dtype, c.Attr<DataType>("element_dtype"));
  MR_ASSIGN(PartialShape element, c.ShapeFromInput(2));
  return ReturnList(c, dtype, std::move(element));
}

Status ScatterIntoShape(ShapeContext& c) {
  MR_ASSIGN(const DataType dtype, c.Attr<DataType>("element_dtype"));
  const HandleShape* const elements = ElementsOf(c);
  MR_RETURN_IF_ERROR(MergeElements(c, PartialShape()).status());
  return ReturnList(c, dtype,
                    elements == nullptr ? PartialShape() : elements->shape);
}

Status SplitShape(ShapeContext& c) {
  MR_ASSIGN(const DataType dtype, c.Attr<DataType>("element_dtype"));
  MR_ASSIGN(const PartialShape t, c.WithRankAtLeast(0, 1));
  MR_ASSIGN(PartialShape element, c.ShapeFromInput(1));
  MR_RETURN_IF_ERROR(ShapeContext::WithRankAtLeast(element, 1).status());
  if (element.known_rank() && t.known_rank()) {
    MR_ASSIGN(const PartialShape row, ShapeContext::Subshape(t, 1));
    MR_ASSIGN(const PartialShape wanted, ShapeContext::Subshape(element, 1));
    MR_RETURN_IF_ERROR(ShapeContext::MergeShapes(row, wanted).status());
  }
  MR_RETURN_IF_ERROR(c.WithRank(2, 1).status());
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
  MR_ASSIGN(PartialShape element, c.ShapeFromInput(2));
  MR_ASSIGN(element, MergeElements(c, std::move(element)));
  return c.Return(std::move(element));
}

Status SetShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  MR_ASSIGN(const DataType dtype, c.Attr<DataType>("element_dtype"));
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

Status ConcatListsShape(ShapeContext& c) {
  MR_ASSIGN(const DataType dtype, c.Attr<DataType>("element_dtype"));
  MR_ASSIGN(PartialShape lists,
            ShapeContext::MergeShapes(c.input(0), c.input(1)));
  PartialShape element;
  for (int i = 0; i < 2; ++i) {
    const HandleShape* const elements = ElementsOf(c, i);
    if (elements == nullptr) continue;
    if (elements->dtype != dtype) {
      return InvalidArgument("Expected list with element dtype ",
                             DataTypeName(dtype), " but got list with element ",
                             "dtype ", DataTypeName(elements->dtype));
    }
    MR_ASSIGN(element, ShapeContext::MergeShapes(element, elements->shape));
  }
  c.set_output_handles(0, {{dtype, std::move(element)}});
  return c.Return(std::move(lists));
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

MR_OP(TensorListPushBackBatch){
    .inputs = "input_handles: variant, tensor: element_dtype",
    .outputs = "output_handles: variant",
    .attrs = "element_dtype: type",
    .shape = PushBatchShape,
    .doc = "Each list with its row of `tensor` as one more element.",
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

MR_OP(TensorListStack){
    .inputs = "input_handle: variant, element_shape: int32",
    .outputs = "tensor: element_dtype",
    .attrs = "element_dtype: type; num_elements: int = -1",
    .shape = StackShape,
    .doc = "All elements, stacked along a new dimension in front.",
};

MR_OP(TensorListGather){
    .inputs = "input_handle: variant, indices: int32, element_shape: int32",
    .outputs = "values: element_dtype",
    .attrs = "element_dtype: type",
    .shape = GatherShape,
    .doc = "Some elements, stacked along a new dimension in front.",
};

MR_OP(TensorListConcat){
    .inputs = "input_handle: variant",
    .outputs = "tensor: element_dtype, lengths: int64",
    .attrs = "element_dtype: type; element_shape: shape = null",
    .shape = ConcatShape,
    .doc = "All elements joined along dimension 0, and their numbers of rows.",
};

MR_OP(TensorListConcatV2){
    .inputs =
        "input_handle: variant, element_shape: shape_type, leading_dims: int64",
    .outputs = "tensor: element_dtype, lengths: int64",
    .attrs = "element_dtype: type; shape_type: {int32, int64}",
    .shape = ConcatV2Shape,
    .doc =
        "TensorListConcat, where an element that is not set has the number of "
        "rows that `leading_dims` says.",
};

MR_OP(TensorListFromTensor){
    .inputs = "tensor: element_dtype, element_shape: shape_type",
    .outputs = "output_handle: variant",
    .attrs = "element_dtype: type; shape_type: {int32, int64}",
    .shape = FromTensorShape,
    .doc = "The list of the rows of a tensor.",
};

#define MR_SCATTER_ATTRS "element_dtype: type; shape_type: {int32, int64}"

MR_OP(TensorListScatter){
    .inputs =
        "tensor: element_dtype, indices: int32, element_shape: shape_type",
    .outputs = "output_handle: variant",
    .attrs = MR_SCATTER_ATTRS,
    .shape = ScatterShape,
    .doc = "A list with the rows of a tensor at `indices`.",
};

MR_OP(TensorListScatterV2){
    .inputs =
        "tensor: element_dtype, indices: int32, element_shape: shape_type, "
        "num_elements: int32",
    .outputs = "output_handle: variant",
    .attrs = MR_SCATTER_ATTRS,
    .shape = ScatterShape,
    .doc =
        "TensorListScatter for a list of `num_elements` (-1: as many as are "
        "needed).",
};

MR_OP(TensorListScatterIntoExistingList){
    .inputs = "input_handle: variant, tensor: element_dtype, indices: int32",
    .outputs = "output_handle: variant",
    .attrs = "element_dtype: type",
    .shape = ScatterIntoShape,
    .doc = "The list with the rows of a tensor at `indices`.",
};

MR_OP(TensorListSplit){
    .inputs =
        "tensor: element_dtype, element_shape: shape_type, lengths: int64",
    .outputs = "output_handle: variant",
    .attrs = "element_dtype: type; shape_type: {int32, int64}",
    .shape = SplitShape,
    .doc = "The list whose element i is the next `lengths[i]` rows.",
};

MR_OP(TensorListConcatLists){
    .inputs = "input_a: variant, input_b: variant",
    .outputs = "output: variant",
    .attrs = "element_dtype: type",
    .shape = ConcatListsShape,
    .doc = "The elements of one list and then those of another.",
};

}  // namespace millrace::ops
