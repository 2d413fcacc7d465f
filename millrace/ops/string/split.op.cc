#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

// The parts are a sparse matrix with a row for each string.
Status SplitShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(0, 1).status());
  MR_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  c.set_output(0, PartialShape({kUnknownDim, 2}));
  c.set_output(1, PartialShape({kUnknownDim}));
  c.set_output(2, PartialShape({2}));
  return OkStatus();
}

}  // namespace

MR_OP(StringSplit){
    .inputs = "input: string, delimiter: string",
    .outputs = "indices: int64, values: string, shape: int64",
    .attrs = "skip_empty: bool = true",
    .shape = SplitShape,
    .doc =
        "Splits strings at each byte of `delimiter`; an empty one splits into "
        "single bytes.",
};

MR_OP(StringSplitV2){
    .inputs = "input: string, sep: string",
    .outputs = "indices: int64, values: string, shape: int64",
    .attrs = "maxsplit: int = -1",
    .shape = SplitShape,
    .doc =
        "Splits strings at `sep`, an empty one at runs of white space, as "
        "Python's str.split does.",
};

}  // namespace millrace::ops
