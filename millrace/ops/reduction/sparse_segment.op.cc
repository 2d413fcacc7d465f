#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

Status CheckIndices(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRankAtLeast(0, 1).status());
  MR_ASSIGN_OR_RETURN(const PartialShape indices, c.WithRank(1, 1));
  MR_ASSIGN_OR_RETURN(const PartialShape ids, c.WithRank(2, 1));
  return ShapeContext::MergeShapes(indices, ids).status();
}

// Sets output 0 to the shape of input 0 with `rows` in place of dimension 0.
Status WithRows(ShapeContext& c, int64_t rows) {
  PartialShape shape = c.input(0);
  if (shape.known_rank()) shape.set_dim(0, rows);
  return c.Return(std::move(shape));
}

Status SparseSegmentShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(CheckIndices(c));
  return WithRows(c, kUnknownDim);
}
Status WithNumSegmentsShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(CheckIndices(c));
  MR_RETURN_IF_ERROR(c.WithRank(3, 0).status());
  MR_ASSIGN_OR_RETURN(const int64_t rows, c.DimFromInput(3));
  return WithRows(c, rows);
}
Status SparseSegmentGradV2Shape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(CheckIndices(c));
  MR_RETURN_IF_ERROR(c.WithRank(3, 0).status());
  c.set_output(1, PartialShape({kUnknownDim}));
  return WithRows(c, kUnknownDim);
}

// Sums take all real types; ops that divide take floating types.
constexpr char kSumAttrs[] =
    "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, "
    "half, uint32, uint64}; Tidx: {int32, int64} = 'int32'; Tsegmentids: "
    "{int32, int64} = 'int32'; sparse_gradient: bool = false";
constexpr char kMeanAttrs[] =
    "T: {bfloat16, half, float, double}; Tidx: {int32, int64} = 'int32'; "
    "Tsegmentids: {int32, int64} = 'int32'; sparse_gradient: bool = false";
constexpr char kSumWithNumSegmentsAttrs[] =
    "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, "
    "half, uint32, uint64}; Tidx: {int32, int64} = 'int32'; Tnumsegments: "
    "{int32, int64} = 'int32'; Tsegmentids: {int32, int64} = 'int32'; "
    "sparse_gradient: bool = false";
constexpr char kMeanWithNumSegmentsAttrs[] =
    "T: {bfloat16, half, float, double}; Tidx: {int32, int64} = 'int32'; "
    "Tnumsegments: {int32, int64} = 'int32'; Tsegmentids: {int32, int64} = "
    "'int32'; sparse_gradient: bool = false";
constexpr char kGradAttrs[] =
    "T: {bfloat16, half, float, double}; Tidx: {int32, int64} = 'int32'; "
    "Tsegmentids: {int32, int64} = 'int32'";

struct AttrsAndDoc {
  const char* attrs;
  const char* doc;
};

consteval OpFields SparseSegment(AttrsAndDoc op) {
  return {.inputs = "data: T, indices: Tidx, segment_ids: Tsegmentids",
          .outputs = "output: T",
          .attrs = op.attrs,
          .shape = SparseSegmentShape,
          .doc = op.doc};
}

consteval OpFields SparseSegmentWithNumSegments(AttrsAndDoc op) {
  return {.inputs =
              "data: T, indices: Tidx, segment_ids: Tsegmentids, "
              "num_segments: Tnumsegments",
          .outputs = "output: T",
          .attrs = op.attrs,
          .shape = WithNumSegmentsShape,
          .doc = op.doc};
}

consteval OpFields SparseSegmentGrad(const char* doc) {
  return {.inputs =
              "grad: T, indices: Tidx, segment_ids: Tsegmentids, "
              "output_dim0: int32",
          .outputs = "output: T",
          .attrs = kGradAttrs,
          .shape = WithNumSegmentsShape,
          .doc = doc};
}

consteval OpFields SparseSegmentGradV2(const char* doc) {
  return {.inputs =
              "grad: T, indices: Tidx, segment_ids: Tsegmentids, "
              "dense_output_dim0: int32",
          .outputs = "output: T, sorted_unique_indices: Tidx",
          .attrs = kGradAttrs,
          .shape = SparseSegmentGradV2Shape,
          .doc = doc};
}

}  // namespace

MR_OP(SparseSegmentSum){
    SparseSegment({.attrs = kSumAttrs,
                   .doc = "Sums of the rows that indices name, by segment."})};
MR_OP(SparseSegmentMean){
    SparseSegment({.attrs = kMeanAttrs,
                   .doc = "Means of the rows that indices name, by segment."})};
MR_OP(SparseSegmentSqrtN){
    SparseSegment({.attrs = kMeanAttrs,
                   .doc = "Sums of the rows that indices name, by segment, "
                          "over the root of their number."})};
MR_OP(SparseSegmentSumWithNumSegments){SparseSegmentWithNumSegments(
    {.attrs = kSumWithNumSegmentsAttrs,
     .doc = "SparseSegmentSum with a given number of segments."})};
MR_OP(SparseSegmentMeanWithNumSegments){SparseSegmentWithNumSegments(
    {.attrs = kMeanWithNumSegmentsAttrs,
     .doc = "SparseSegmentMean with a given number of segments."})};
MR_OP(SparseSegmentSqrtNWithNumSegments){SparseSegmentWithNumSegments(
    {.attrs = kMeanWithNumSegmentsAttrs,
     .doc = "SparseSegmentSqrtN with a given number of segments."})};
MR_OP(SparseSegmentSumGrad){
    SparseSegmentGrad("The gradient of SparseSegmentSum, of all rows.")};
MR_OP(SparseSegmentMeanGrad){
    SparseSegmentGrad("The gradient of SparseSegmentMean, of all rows.")};
MR_OP(SparseSegmentSqrtNGrad){
    SparseSegmentGrad("The gradient of SparseSegmentSqrtN, of all rows.")};
MR_OP(SparseSegmentSumGradV2){SparseSegmentGradV2(
    "The gradient of SparseSegmentSum: rows, and which they are.")};
MR_OP(SparseSegmentMeanGradV2){SparseSegmentGradV2(
    "The gradient of SparseSegmentMean: rows, and which they are.")};
MR_OP(SparseSegmentSqrtNGradV2){SparseSegmentGradV2(
    "The gradient of SparseSegmentSqrtN: rows, and which they are.")};

}  // namespace millrace::ops
