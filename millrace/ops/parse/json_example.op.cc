#include "millrace/graph/shape_context.h"

namespace millrace::ops {

MR_OP(DecodeJSONExample){
    .inputs = "json_examples: string",
    .outputs = "binary_examples: string",
    .shape = shapes::Unchanged,
    .doc = "Example messages written as JSON, as serialized ones.",
};

}  // namespace millrace::ops
