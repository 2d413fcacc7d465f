#include "millrace/ops/quantize/range_shapes.op.h"

namespace millrace::ops {

Status RequireScalars(ShapeContext& c, int begin, int end) {
  for (int i = begin; i < end; ++i) {
    MR_RETURN_IF_ERROR(c.WithRank(i, 0).status());
  }
  return OkStatus();
}

void SetScalars(ShapeContext& c, int begin, int end) {
  for (int i = begin; i < end; ++i) c.set_output(i, PartialShape({}));
}

StatusOr<PartialShape> RangesAlongAxis(ShapeContext& c, int values, int min,
                                       int max, RangePair pair) {
  MR_ASSIGN_OR_RETURN(const int64_t axis, c.Attr<int32_t>("axis"));
  const int rank = axis == -1 ? 0 : 1;
  if (axis < -1 || axis >= kMaxRank) {
    return InvalidArgument("axis should be at least -1, got ", axis);
  }
  MR_ASSIGN_OR_RETURN(const PartialShape mins, c.WithRank(min, rank));
  MR_ASSIGN_OR_RETURN(PartialShape ranges, c.WithRank(max, rank));
  if (pair == RangePair::kMerged) {
    MR_ASSIGN_OR_RETURN(ranges, ShapeContext::MergeShapes(ranges, mins));
  }
  if (axis == -1) return ranges;
  const int d = static_cast<int>(axis);
  MR_ASSIGN_OR_RETURN(const PartialShape x, c.WithRankAtLeast(values, d + 1));
  MR_RETURN_IF_ERROR(
      ShapeContext::MergeDims(ranges.dim(0), ShapeContext::Dim(x, d)).status());
  return ranges;
}

}  // namespace millrace::ops
