#include "millrace/graph/shape_context.h"

namespace millrace {
namespace {

Status CheckIndices(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRankAtLeast(0, 1).status());
  MR_ASSIGN(const PartialShape indices, c.WithRank(1, 1));
  MR_ASSIGN(const PartialShape ids, c.WithRank(2, 1));
  return ShapeContext::MergeShapes(indices, ids).status();
}

// `rows` in place of dimension 0.
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
  MR_ASSIGN(const int64_t rows, c.DimFromInput(3));
  return WithRows(c, rows);
}
Status GradV2Shape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(CheckIndices(c));
  MR_RETURN_IF_ERROR(c.WithRank(3, 0).status());
  c.set_output(1, PartialShape({kUnknownDim}));
  return WithRows(c, kUnknownDim);
}

}  // namespace
}  // namespace millrace

namespace millrace::ops {

MR_OP(SparseSegmentSum){
    .inputs = "data: T, indices: Tidx, segment_ids: Tsegmentids",
    .outputs = "output: T",
    .attrs =
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, "
        "uint16, half, uint32, uint64}; Tidx: {int32, int64} = 'int32'; "
        "Tsegmentids: {int32, int64} = 'int32'; sparse_gradient: bool = false",
    .shape = SparseSegmentShape,
    .doc = "Sums of the rows that indices name, by segment.",
};
MR_OP(SparseSegmentMean){
    .inputs = "data: T, indices: Tidx, segment_ids: Tsegmentids",
    .outputs = "output: T",
    .attrs =
        "T: {bfloat16, half, float, double}; Tidx: {int32, int64} = 'int32'; "
        "Tsegmentids: {int32, int64} = 'int32'; sparse_gradient: bool = false",
    .shape = SparseSegmentShape,
    .doc = "Means of the rows that indices name, by segment.",
};
MR_OP(SparseSegmentSqrtN){
    .inputs = "data: T, indices: Tidx, segment_ids: Tsegmentids",
    .outputs = "output: T",
    .attrs =
        "T: {bfloat16, half, float, double}; Tidx: {int32, int64} = 'int32'; "
        "Tsegmentids: {int32, int64} = 'int32'; sparse_gradient: bool = false",
    .shape = SparseSegmentShape,
    .doc =
        "Sums of the rows that indices name, by segment, over the root of "
        "their number.",
};
MR_OP(SparseSegmentSumWithNumSegments){
    .inputs =
        "data: T, indices: Tidx, segment_ids: Tsegmentids, num_segments: "
        "Tnumsegments",
    .outputs = "output: T",
    .attrs =
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, "
        "uint16, half, uint32, uint64}; Tidx: {int32, int64} = 'int32'; "
        "Tnumsegments: {int32, int64} = 'int32'; Tsegmentids: {int32, int64} = "
        "'int32'; sparse_gradient: bool = false",
    .shape = WithNumSegmentsShape,
    .doc = "SparseSegmentSum with a given number of segments.",
};
MR_OP(SparseSegmentMeanWithNumSegments){
    .inputs =
        "data: T, indices: Tidx, segment_ids: Tsegmentids, num_segments: "
        "Tnumsegments",
    .outputs = "output: T",
    .attrs =
        "T: {bfloat16, half, float, double}; Tidx: {int32, int64} = 'int32'; "
        "Tnumsegments: {int32, int64} = 'int32'; Tsegmentids: {int32, int64} = "
        "'int32'; sparse_gradient: bool = false",
    .shape = WithNumSegmentsShape,
    .doc = "SparseSegmentMean with a given number of segments.",
};
MR_OP(SparseSegmentSqrtNWithNumSegments){
    .inputs =
        "data: T, indices: Tidx, segment_ids: Tsegmentids, num_segments: "
        "Tnumsegments",
    .outputs = "output: T",
    .attrs =
        "T: {bfloat16, half, float, double}; Tidx: {int32, int64} = 'int32'; "
        "Tnumsegments: {int32, int64} = 'int32'; Tsegmentids: {int32, int64} = "
        "'int32'; sparse_gradient: bool = false",
    .shape = WithNumSegmentsShape,
    .doc = "SparseSegmentSqrtN with a given number of segments.",
};
MR_OP(SparseSegmentSumGrad){
    .inputs =
        "grad: T, indices: Tidx, segment_ids: Tsegmentids, output_dim0: int32",
    .outputs = "output: T",
    .attrs =
        "T: {bfloat16, half, float, double}; Tidx: {int32, int64} = 'int32'; "
        "Tsegmentids: {int32, int64} = 'int32'",
    .shape = WithNumSegmentsShape,
    .doc = "The gradient of SparseSegmentSum, of all rows.",
};
MR_OP(SparseSegmentMeanGrad){
    .inputs =
        "grad: T, indices: Tidx, segment_ids: Tsegmentids, output_dim0: int32",
    .outputs = "output: T",
    .attrs =
        "T: {bfloat16, half, float, double}; Tidx: {int32, int64} = 'int32'; "
        "Tsegmentids: {int32, int64} = 'int32'",
    .shape = WithNumSegmentsShape,
    .doc = "The gradient of SparseSegmentMean, of all rows.",
};
MR_OP(SparseSegmentSqrtNGrad){
    .inputs =
        "grad: T, indices: Tidx, segment_ids: Tsegmentids, output_dim0: int32",
    .outputs = "output: T",
    .attrs =
        "T: {bfloat16, half, float, double}; Tidx: {int32, int64} = 'int32'; "
        "Tsegmentids: {int32, int64} = 'int32'",
    .shape = WithNumSegmentsShape,
    .doc = "The gradient of SparseSegmentSqrtN, of all rows.",
};
MR_OP(SparseSegmentSumGradV2){
    .inputs =
        "grad: T, indices: Tidx, segment_ids: Tsegmentids, dense_output_dim0: "
        "int32",
    .outputs = "output: T, sorted_unique_indices: Tidx",
    .attrs =
        "T: {bfloat16, half, float, double}; Tidx: {int32, int64} = 'int32'; "
        "Tsegmentids: {int32, int64} = 'int32'",
    .shape = GradV2Shape,
    .doc = "The gradient of SparseSegmentSum: rows, and which they are.",
};
MR_OP(SparseSegmentMeanGradV2){
    .inputs =
        "grad: T, indices: Tidx, segment_ids: Tsegmentids, dense_output_dim0: "
        "int32",
    .outputs = "output: T, sorted_unique_indices: Tidx",
    .attrs =
        "T: {bfloat16, half, float, double}; Tidx: {int32, int64} = 'int32'; "
        "Tsegmentids: {int32, int64} = 'int32'",
    .shape = GradV2Shape,
    .doc = "The gradient of SparseSegmentMean: rows, and which they are.",
};
MR_OP(SparseSegmentSqrtNGradV2){
    .inputs =
        "grad: T, indices: Tidx, segment_ids: Tsegmentids, dense_output_dim0: "
        "int32",
    .outputs = "output: T, sorted_unique_indices: Tidx",
    .attrs =
        "T: {bfloat16, half, float, double}; Tidx: {int32, int64} = 'int32'; "
        "Tsegmentids: {int32, int64} = 'int32'",
    .shape = GradV2Shape,
    .doc = "The gradient of SparseSegmentSqrtN: rows, and which they are.",
};

}  // namespace millrace::ops
