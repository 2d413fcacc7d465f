#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

Status HistogramShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(PartialShape range, c.WithRank(1, 1));
  MR_RETURN_IF_ERROR(ShapeContext::MergeDims(range.dim(0), 2).status());
  MR_RETURN_IF_ERROR(c.WithRank(2, 0).status());
  MR_ASSIGN_OR_RETURN(int64_t bins, c.DimFromInput(2));
  if (bins == 0) return InvalidArgument("Requires nbins > 0: ", bins);
  return c.Return({bins});
}

}  // namespace

MR_OP(HistogramFixedWidth){
    .inputs = "values: T, value_range: T, nbins: int32",
    .outputs = "out: dtype",
    .attrs =
        "T: {int32, int64, float, double}; dtype: {int32, int64} = 'int32'",
    .shape = HistogramShape,
    .doc =
        "Counts the `values` that lie in each of `nbins` parts of equal width "
        "of `value_range`; values outside count in the first and last.",
};

}  // namespace millrace::ops
