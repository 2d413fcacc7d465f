#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

Status DecodeTextShape(ShapeContext& c) {
  const int64_t texts =
      c.input(0).IsFullyDefined() ? c.input(0).num_elements() : kUnknownDim;
  MR_ASSIGN_OR_RETURN(const int64_t splits, ShapeContext::AddDims(texts, 1));
  c.set_output(0, PartialShape({splits}));
  for (int i = 1; i < c.num_outputs(); ++i) {
    c.set_output(i, PartialShape({kUnknownDim}));
  }
  return OkStatus();
}

constexpr char kDecodeTextAttrs[] =
    "input_encoding: string; errors: {'strict', 'replace', 'ignore'} = "
    "'replace'; replacement_char: int = 65533; replace_control_characters: "
    "bool = false; Tsplits: {int32, int64} = 'int64'";

}  // namespace

MR_OP(UnicodeDecode){
    .inputs = "input: string",
    .outputs = "row_splits: Tsplits, char_values: int32",
    .attrs = kDecodeTextAttrs,
    .shape = DecodeTextShape,
    .doc = "The code points of texts, as a ragged matrix with a row a text.",
};

MR_OP(UnicodeDecodeWithOffsets){
    .inputs = "input: string",
    .outputs =
        "row_splits: Tsplits, char_values: int32, char_to_byte_starts: int64",
    .attrs = kDecodeTextAttrs,
    .shape = DecodeTextShape,
    .doc =
        "UnicodeDecode that also tells where the bytes of each character "
        "begin.",
};

}  // namespace millrace::ops
