#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

Status EncodeTextShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(0, 1).status());
  MR_ASSIGN_OR_RETURN(const PartialShape splits, c.WithRank(1, 1));
  MR_ASSIGN_OR_RETURN(
      const int64_t texts,
      ShapeContext::SubtractDims(ShapeContext::Dim(splits, 0), 1));
  return c.Return(PartialShape({texts}));
}

}  // namespace

MR_OP(UnicodeEncode){
    .inputs = "input_values: int32, input_splits: Tsplits",
    .outputs = "output: string",
    .attrs =
        "errors: {'ignore', 'replace', 'strict'} = 'replace'; "
        "output_encoding: {'UTF-8', 'UTF-16-BE', 'UTF-32-BE'}; "
        "replacement_char: int = 65533; Tsplits: {int32, int64} = 'int64'",
    .shape = EncodeTextShape,
    .doc = "Texts of code points, which are a ragged matrix with a row a text.",
};

}  // namespace millrace::ops
