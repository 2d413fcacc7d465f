#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

Status DecodeProtoShape(ShapeContext& c) {
  const PartialShape& messages = c.input(0);
  const int fields = c.num_outputs() - 1;
  c.set_output(0, messages.Concatenate(PartialShape({fields})));
  for (int i = 1; i <= fields; ++i) {
    c.set_output(i, messages.Concatenate(PartialShape({kUnknownDim})));
  }
  return OkStatus();
}

}  // namespace

MR_OP(DecodeProtoV2){
    .inputs = "bytes: string",
    .outputs = "sizes: int32, values: output_types",
    .attrs =
        "message_type: string; field_names: list(string); output_types: "
        "list(type) >= 0; descriptor_source: string = 'local://'; "
        "message_format: string = 'binary'; sanitize: bool = false",
    .shape = DecodeProtoShape,
    .doc =
        "Fields of serialized messages: of each the number of its values in "
        "each message, and the values in a row a message, filled up with the "
        "field's default.",
};

}  // namespace millrace::ops
