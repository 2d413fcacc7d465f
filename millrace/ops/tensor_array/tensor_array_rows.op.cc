// Schemas of ops on many elements of an array as one tensor.
#include "millrace/graph/op_decl.h"
#include "millrace/ops/queue/by_reference.op.h"
#include "millrace/ops/tensor_array/array_shapes.op.h"

namespace millrace::ops {
namespace {

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

Status ScatterToStrings(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(1, 1).status());
  MR_RETURN_IF_ERROR(Scalars(c, {3}));
  return shapes::Scalar(c);
}

Status SplitToStrings(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(2, 1).status());
  MR_RETURN_IF_ERROR(Scalars(c, {3}));
  return shapes::Scalar(c);
}

constexpr OpFields kGather = {
    .inputs = "handle: resource, indices: int32, flow_in: float",
    .outputs = "value: dtype",
    .attrs = "dtype: type; element_shape: shape = null",
    .flags = kStateful,
    .shape = GatherShape,
    .doc = "Elements, stacked along a new dimension in front.",
};

constexpr OpFields kScatter = {
    .inputs = "handle: resource, indices: int32, value: T, flow_in: float",
    .outputs = "flow_out: float",
    .attrs = "T: type",
    .flags = kStateful,
    .shape = ScatterShape,
    .doc = "Sets elements to the rows of `value`.",
};

constexpr OpFields kConcat = {
    .inputs = "handle: resource, flow_in: float",
    .outputs = "value: dtype, lengths: int64",
    .attrs = "dtype: type; element_shape_except0: shape = null",
    .flags = kStateful,
    .shape = ConcatShape,
    .doc =
        "All elements joined along dimension 0, and how many rows each of them "
        "has.",
};

constexpr OpFields kSplit = {
    .inputs = "handle: resource, value: T, lengths: int64, flow_in: float",
    .outputs = "flow_out: float",
    .attrs = "T: type",
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc = "Sets element i to the next `lengths[i]` rows of `value`.",
};

}  // namespace

MR_OP(TensorArrayGatherV3)(kGather);
MR_OP(TensorArrayGatherV2)
(Until(26, "Use TensorArrayGatherV3",
       ByStrings<kGather>(OfArrayStrings<GatherShape>)));
MR_OP(TensorArrayGather)
(Until(16, "Use TensorArrayGatherV3", ByReference<kGather>(shapes::Unknown)));

MR_OP(TensorArrayScatterV3)(kScatter);
MR_OP(TensorArrayScatterV2)
(Until(26, "Use TensorArrayScatterV3",
       ByStrings<kScatter>(OfArrayStrings<ScatterToStrings>)));
MR_OP(TensorArrayScatter)
(Until(19, "Use TensorArrayGradV3", ByReference<kScatter>(shapes::Unknown)));

MR_OP(TensorArrayConcatV3)(kConcat);
MR_OP(TensorArrayConcatV2)(ByStrings<kConcat>(OfArrayStrings<ConcatShape>));
MR_OP(TensorArrayConcat)
(Until(16, "Use TensorArrayGradV3", ByReference<kConcat>(shapes::Unknown)));

MR_OP(TensorArraySplitV3)(kSplit);
MR_OP(TensorArraySplitV2)
(Until(26, "Use TensorArraySplitV3",
       ByStrings<kSplit>(OfArrayStrings<SplitToStrings>)));
MR_OP(TensorArraySplit)
(Until(16, "Use TensorArraySplitV3", ByReference<kSplit>(shapes::Unknown)));

MR_OP(TensorArrayPack){
    .inputs = "handle: Ref(string), flow_in: float",
    .outputs = "value: dtype",
    .attrs = "dtype: type; element_shape: shape = null",
    .shape = shapes::Unknown,
    .doc = "All elements, stacked along a new dimension in front.",
    .deprecated_version = 16,
    .deprecated_hint = "Use TensorArrayGatherV3 with RangeOp",
};

MR_OP(TensorArrayUnpack){
    .inputs = "handle: Ref(string), value: T, flow_in: float",
    .outputs = "flow_out: float",
    .attrs = "T: type",
    .shape = shapes::Unknown,
    .doc = "Sets all elements to the rows of `value`.",
    .deprecated_version = 20,
    .deprecated_hint = "Use TensorArrayScatterV3 with RangeOp",
};

}  // namespace millrace::ops
