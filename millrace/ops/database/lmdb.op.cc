#include "millrace/ops/data/element_shapes.op.h"

namespace millrace::ops {

MR_OP(LMDBDataset){
    .inputs = "filenames: string",
    .outputs = "handle: variant",
    .attrs = MR_ELEMENT_ATTRS,
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc = "The keys and values of LMDB databases, one after the other.",
};

MR_OP(ExperimentalLMDBDataset){
    .inputs = "filenames: string",
    .outputs = "handle: variant",
    .attrs = MR_ELEMENT_ATTRS,
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc = "LMDBDataset under its first name.",
};

}  // namespace millrace::ops
