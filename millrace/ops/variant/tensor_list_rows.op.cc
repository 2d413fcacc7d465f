// Schemas that convert lists to one tensor and back.
#include "millrace/ops/variant/list_shapes.op.h"

namespace millrace::ops {
namespace {

// Rows of input `value` become elements of the shape that input 1 or 2 holds.
StatusOr<PartialShape> RowsOfInput(ShapeContext& c, int value,
                                   int shape_input) {
  MR_ASSIGN_OR_RETURN(const PartialShape t, c.WithRankAtLeast(value, 1));
  MR_ASSIGN_OR_RETURN(const PartialShape row, ShapeContext::Subshape(t, 1));
  MR_ASSIGN_OR_RETURN(const PartialShape element,
                      c.ShapeFromInput(shape_input));
  return ShapeContext::MergeShapes(row, element);
}

Status StackShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(PartialShape element, c.ShapeFromInput(1));
  MR_ASSIGN_OR_RETURN(element, MergeElements(c, std::move(element)));
  MR_ASSIGN_OR_RETURN(const int64_t count, c.Attr<int64_t>("num_elements"));
  return c.Return(
      PartialShape({count < 0 ? kUnknownDim : count}).Concatenate(element));
}

Status GatherShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(PartialShape element, c.ShapeFromInput(2));
  MR_ASSIGN_OR_RETURN(element, MergeElements(c, std::move(element)));
  MR_ASSIGN_OR_RETURN(const PartialShape indices, c.WithRank(1, 1));
  return c.Return(indices.Concatenate(element));
}

// The dimensions of the elements after the first are those of the result.
Status JoinedShape(ShapeContext& c, PartialShape element) {
  MR_ASSIGN_OR_RETURN(element, MergeElements(c, std::move(element)));
  if (element.known_rank()) {
    MR_ASSIGN_OR_RETURN(element, ShapeContext::WithRankAtLeast(element, 1));
    element.set_dim(0, kUnknownDim);
  }
  c.set_output(0, std::move(element));
  c.set_output(1, PartialShape({kUnknownDim}));
  return OkStatus();
}

Status ConcatShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(PartialShape element,
                      c.Attr<PartialShape>("element_shape"));
  return JoinedShape(c, std::move(element));
}

Status ConcatV2Shape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(PartialShape element, c.ShapeFromInput(1));
  return JoinedShape(c, std::move(element));
}

Status FromTensorShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const DataType dtype, c.Attr<DataType>("element_dtype"));
  MR_RETURN_IF_ERROR(RowsOfInput(c, 0, 1).status());
  MR_ASSIGN_OR_RETURN(PartialShape element, c.ShapeFromInput(1));
  return ReturnList(c, dtype, std::move(element));
}

Status ScatterShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const DataType dtype, c.Attr<DataType>("element_dtype"));
  MR_ASSIGN_OR_RETURN(PartialShape element, c.ShapeFromInput(2));
  return ReturnList(c, dtype, std::move(element));
}

Status ScatterIntoShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const DataType dtype, c.Attr<DataType>("element_dtype"));
  const HandleShape* const elements = ElementsOf(c);
  MR_RETURN_IF_ERROR(MergeElements(c, PartialShape()).status());
  return ReturnList(c, dtype,
                    elements == nullptr ? PartialShape() : elements->shape);
}

Status SplitShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const DataType dtype, c.Attr<DataType>("element_dtype"));
  MR_ASSIGN_OR_RETURN(const PartialShape t, c.WithRankAtLeast(0, 1));
  MR_ASSIGN_OR_RETURN(PartialShape element, c.ShapeFromInput(1));
  MR_RETURN_IF_ERROR(ShapeContext::WithRankAtLeast(element, 1).status());
  if (element.known_rank() && t.known_rank()) {
    MR_ASSIGN_OR_RETURN(const PartialShape row, ShapeContext::Subshape(t, 1));
    MR_ASSIGN_OR_RETURN(const PartialShape wanted,
                        ShapeContext::Subshape(element, 1));
    MR_RETURN_IF_ERROR(ShapeContext::MergeShapes(row, wanted).status());
  }
  MR_RETURN_IF_ERROR(c.WithRank(2, 1).status());
  return ReturnList(c, dtype, std::move(element));
}

#define MR_SCATTER_ATTRS "element_dtype: type; shape_type: {int32, int64}"

}  // namespace

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

}  // namespace millrace::ops
