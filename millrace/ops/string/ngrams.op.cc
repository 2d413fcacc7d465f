#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

Status NGramsShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(0, 1).status());
  MR_ASSIGN_OR_RETURN(PartialShape splits, c.WithRank(1, 1));
  c.set_output(0, PartialShape({kUnknownDim}));
  c.set_output(1, std::move(splits));
  return OkStatus();
}

}  // namespace

MR_OP(StringNGrams){
    .inputs = "data: string, data_splits: Tsplits",
    .outputs = "ngrams: string, ngrams_splits: Tsplits",
    .attrs =
        "separator: string; ngram_widths: list(int) >= 0; left_pad: string; "
        "right_pad: string; pad_width: int; preserve_short_sequences: bool; "
        "Tsplits: {int32, int64} = 'int64'",
    .shape = NGramsShape,
    .doc =
        "Joins each `width` texts in a row of every part of a ragged vector. "
        "Parts are padded at both ends, by at most width - 1 texts (a "
        "pad_width of -1: by as many).",
};

}  // namespace millrace::ops
