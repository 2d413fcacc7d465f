#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

Status EncodeProtoShape(ShapeContext& c) {
  PartialShape messages;
  for (int i = c.num_inputs() - 1; i >= 1; --i) {
    MR_ASSIGN_OR_RETURN(const PartialShape values, c.WithRankAtLeast(i, 2));
    MR_ASSIGN_OR_RETURN(const PartialShape rows,
                        ShapeContext::Subshape(values, 0, -1));
    MR_ASSIGN_OR_RETURN(messages, ShapeContext::MergeShapes(rows, messages));
  }
  return c.Return(std::move(messages));
}

}  // namespace

MR_OP(EncodeProto){
    .inputs = "sizes: int32, values: Tinput_types",
    .outputs = "bytes: string",
    .attrs =
        "field_names: list(string); message_type: string; descriptor_source: "
        "string = 'local://'; Tinput_types: list(type) >= 1",
    .shape = EncodeProtoShape,
    .doc =
        "Serialized messages with these fields: of each the values, in a row "
        "a message, and how many of them there are.",
};

}  // namespace millrace::ops
