#include "millrace/graph/shape_context.h"

namespace millrace::ops {

MR_OP(EncodeBase64){
    .inputs = "input: string",
    .outputs = "output: string",
    .attrs = "pad: bool = false",
    .shape = shapes::Unchanged,
    .doc = "Bytes in base 64, with - and _ as the last digits.",
};

MR_OP(DecodeBase64){
    .inputs = "input: string",
    .outputs = "output: string",
    .shape = shapes::Unchanged,
    .doc = "Decodes what EncodeBase64 has encoded, padded or not.",
};

}  // namespace millrace::ops
