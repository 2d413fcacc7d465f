// Schemas of non-maximum suppression: among overlapping boxes, the one with the
// best score stays.
#include <algorithm>

#include "millrace/graph/shape_context.h"
#include "millrace/ops/array/shape_rules.op.h"

namespace millrace::ops {
namespace {

// Requires boxes [n, 4] and scores [n]; the inputs behind them are scalars.
Status CheckInputs(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const PartialShape boxes, c.WithRank(0, 2));
  MR_ASSIGN_OR_RETURN(const PartialShape scores, c.WithRank(1, 1));
  for (int i = 2; i < c.num_inputs(); ++i) {
    MR_RETURN_IF_ERROR(c.WithRank(i, 0).status());
  }
  MR_RETURN_IF_ERROR(
      ShapeContext::MergeDims(boxes.dim(0), scores.dim(0)).status());
  return WithValue(boxes.dim(1), 4).status();
}

Status SuppressShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(CheckInputs(c));
  return c.Return(VectorShape());
}

// The number of valid boxes is the last output, and results are padded if that
// is asked for.
Status PaddedShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(CheckInputs(c));
  MR_ASSIGN_OR_RETURN(const bool padded,
                      c.Attr<bool>("pad_to_max_output_size"));
  int64_t size = kUnknownDim;
  if (padded) {
    MR_ASSIGN_OR_RETURN(size, c.DimFromInput(2));
  }
  const int last = c.num_outputs() - 1;
  for (int i = 0; i < last; ++i) c.set_output(i, VectorShape(size));
  c.set_output(last, TensorShape());
  return OkStatus();
}

Status OverlapsShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const PartialShape overlaps, c.WithRank(0, 2));
  MR_ASSIGN_OR_RETURN(const PartialShape scores, c.WithRank(1, 1));
  for (int i = 2; i < 5; ++i) MR_RETURN_IF_ERROR(c.WithRank(i, 0).status());
  MR_RETURN_IF_ERROR(
      ShapeContext::MergeDims(overlaps.dim(0), scores.dim(0)).status());
  MR_RETURN_IF_ERROR(
      ShapeContext::MergeDims(overlaps.dim(0), overlaps.dim(1)).status());
  return c.Return(VectorShape());
}

Status CombinedShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const PartialShape boxes, c.WithRank(0, 4));
  MR_ASSIGN_OR_RETURN(const PartialShape scores, c.WithRank(1, 3));
  for (int i = 2; i < 6; ++i) MR_RETURN_IF_ERROR(c.WithRank(i, 0).status());
  for (int i = 0; i < 2; ++i) {
    MR_RETURN_IF_ERROR(
        ShapeContext::MergeDims(boxes.dim(i), scores.dim(i)).status());
  }
  MR_RETURN_IF_ERROR(WithValue(boxes.dim(3), 4).status());
  const int64_t kinds = boxes.dim(2), classes = scores.dim(2);
  if (kinds != kUnknownDim && classes != kUnknownDim && kinds != 1 &&
      kinds != classes) {
    return InvalidArgument(
        "third dimension of boxes must be either 1 or equal to the third "
        "dimension of scores");
  }
  MR_ASSIGN_OR_RETURN(const int64_t total, c.DimFromInput(3));
  if (total == 0) return InvalidArgument("max_total_size should be > 0 ");
  MR_ASSIGN_OR_RETURN(const int64_t per_class, c.DimFromInput(2));
  MR_ASSIGN_OR_RETURN(const bool pad_per_class, c.Attr<bool>("pad_per_class"));
  int64_t size = total;
  if (pad_per_class) {
    size = kUnknownDim;
    if (per_class == 0) {
      return InvalidArgument(
          "max_output_size_per_class must be > 0 if pad_per_class is set to "
          "true ");
    }
    if (per_class != kUnknownDim && classes != kUnknownDim) {
      MR_ASSIGN_OR_RETURN(const int64_t most,
                          ShapeContext::MultiplyDims(per_class, classes));
      size = total == kUnknownDim ? kUnknownDim : std::min(total, most);
    }
  }
  const int64_t batch = boxes.dim(0);
  c.set_output(0, PartialShape({batch, size, 4}));
  c.set_output(1, PartialShape({batch, size}));
  c.set_output(2, PartialShape({batch, size}));
  c.set_output(3, VectorShape(batch));
  return OkStatus();
}

#define MR_FLOATS "T: {half, float} = float"
#define MR_THRESHOLDS MR_FLOATS "; T_threshold: {half, float} = float"

}  // namespace

MR_OP(NonMaxSuppression){
    .inputs = "boxes: float, scores: float, max_output_size: int32",
    .outputs = "selected_indices: int32",
    .attrs = "iou_threshold: float = 0.5",
    .shape = SuppressShape,
    .doc =
        "Indices of boxes in the order of their scores, without those that "
        "overlap a better one by more than the threshold.",
};
MR_OP(NonMaxSuppressionV2){
    .inputs =
        "boxes: T, scores: T, max_output_size: int32, iou_threshold: "
        "T_threshold",
    .outputs = "selected_indices: int32",
    .attrs = MR_THRESHOLDS,
    .shape = SuppressShape,
    .doc = "NonMaxSuppression with its threshold as an input.",
};
MR_OP(NonMaxSuppressionV3){
    .inputs =
        "boxes: T, scores: T, max_output_size: int32, iou_threshold: "
        "T_threshold, score_threshold: T_threshold",
    .outputs = "selected_indices: int32",
    .attrs = MR_THRESHOLDS,
    .shape = SuppressShape,
    .doc = "NonMaxSuppressionV2 of boxes with scores above a threshold.",
};
MR_OP(NonMaxSuppressionV4){
    .inputs =
        "boxes: T, scores: T, max_output_size: int32, iou_threshold: "
        "T_threshold, score_threshold: T_threshold",
    .outputs = "selected_indices: int32, valid_outputs: int32",
    .attrs = MR_THRESHOLDS "; pad_to_max_output_size: bool = false",
    .shape = PaddedShape,
    .doc = "NonMaxSuppressionV3 whose result may be padded with zeros.",
};
MR_OP(NonMaxSuppressionV5){
    .inputs =
        "boxes: T, scores: T, max_output_size: int32, iou_threshold: T, "
        "score_threshold: T, soft_nms_sigma: T",
    .outputs =
        "selected_indices: int32, selected_scores: T, valid_outputs: int32",
    .attrs = MR_FLOATS "; pad_to_max_output_size: bool = false",
    .shape = PaddedShape,
    .doc =
        "NonMaxSuppressionV4 that, with a sigma above 0, lowers the scores of "
        "boxes by their overlap with better ones instead of dropping them.",
};
MR_OP(NonMaxSuppressionWithOverlaps){
    .inputs =
        "overlaps: float, scores: float, max_output_size: int32, "
        "overlap_threshold: float, score_threshold: float",
    .outputs = "selected_indices: int32",
    .shape = OverlapsShape,
    .doc = "NonMaxSuppressionV3 with a matrix of overlaps in place of boxes.",
};
MR_OP(CombinedNonMaxSuppression){
    .inputs =
        "boxes: float, scores: float, max_output_size_per_class: int32, "
        "max_total_size: int32, iou_threshold: float, score_threshold: float",
    .outputs =
        "nmsed_boxes: float, nmsed_scores: float, nmsed_classes: float, "
        "valid_detections: int32",
    .attrs = "pad_per_class: bool = false; clip_boxes: bool = true",
    .shape = CombinedShape,
    .doc =
        "Non-maximum suppression for each picture of a batch and each class, "
        "and the best of all classes.",
};

}  // namespace millrace::ops
