#include "millrace/ops/data/element_shapes.op.h"

namespace millrace::ops {
namespace {

Status VectorOfUnknownSize(ShapeContext& c) {
  return c.Return(PartialShape({kUnknownDim}));
}

}  // namespace

MR_OP(SerializeIterator){
    .inputs = "resource_handle: resource",
    .outputs = "serialized: variant",
    .attrs = "external_state_policy: int = 0",
    .flags = kStateful,
    .shape = VectorOfUnknownSize,
    .doc = "The place of an iterator in its data set.",
};

MR_OP(DeserializeIterator){
    .inputs = "resource_handle: resource, serialized: variant",
    .flags = kStateful,
    .shape = shapes::NoOutputs,
    .doc = "Lets an iterator go on where another one over its data set was.",
};

}  // namespace millrace::ops
