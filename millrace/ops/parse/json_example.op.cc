#include "millrace/graph/shape_context.h"

using namespace millrace;

MR_OP(DecodeJSONExample){
    .inputs = "json_examples: string",
    .outputs = "binary_examples: string",
    .shape = shapes::Unchanged,
    .doc = "Example messages written as JSON, as serialized ones.",
};
