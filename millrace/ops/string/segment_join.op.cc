#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

// The texts must begin with the dimensions of segment_ids.
Status SegmentJoinShape(ShapeContext& c) {
  const PartialShape& texts = c.input(0);
  const PartialShape& ids = c.input(1);
  MR_RETURN_IF_ERROR(c.WithRank(2, 0).status());
  if (!texts.known_rank() || !ids.known_rank()) return c.Return(PartialShape());
  MR_RETURN_IF_ERROR(ShapeContext::WithRankAtLeast(texts, ids.rank()).status());
  const auto rank = static_cast<size_t>(ids.rank());
  for (int i = 0; i < ids.rank(); ++i) {
    MR_RETURN_IF_ERROR(
        ShapeContext::MergeDims(texts.dim(i), ids.dim(i)).status());
  }
  MR_ASSIGN_OR_RETURN(const int64_t count, c.DimFromInput(2));
  const PartialShape segments{count};
  return c.Return(
      segments.Concatenate(PartialShape(texts.dims().subspan(rank))));
}

}  // namespace

MR_OP(UnsortedSegmentJoin){
    .inputs =
        "inputs: string, segment_ids: Tindices, num_segments: "
        "Tnumsegments",
    .outputs = "output: string",
    .attrs =
        "separator: string = ''; Tindices: {int32, int64}; Tnumsegments: "
        "{int32, int64} = 'int32'",
    .shape = SegmentJoinShape,
    .doc =
        "Joins the texts of each segment in their order; segments without "
        "texts are empty.",
};

}  // namespace millrace::ops
