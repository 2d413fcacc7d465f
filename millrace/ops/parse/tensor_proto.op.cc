#include "millrace/graph/shape_context.h"

namespace millrace::ops {

MR_OP(ParseTensor){
    .inputs = "serialized: string",
    .outputs = "output: out_type",
    .attrs = "out_type: type",
    .shape = shapes::Unknown,
    .doc = "The tensor of a serialized TensorProto message.",
};

MR_OP(SerializeTensor){
    .inputs = "tensor: T",
    .outputs = "serialized: string",
    .attrs = "T: type",
    .shape = shapes::Scalar,
    .doc = "A tensor as a serialized TensorProto message.",
};

}  // namespace millrace::ops
