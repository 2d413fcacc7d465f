#include "millrace/ops/data/element_shapes.op.h"

namespace millrace::ops {

MR_OP(CacheDataset){
    .inputs = "input_dataset: variant, filename: string",
    .outputs = "handle: variant",
    .attrs = MR_ELEMENT_ATTRS MR_METADATA,
    .flags = kElementShapesUnread,
    .shape = DatasetFromScalars,
    .doc = "The elements, kept for later passes in memory or in a file.",
};

MR_OP(CacheDatasetV2){
    .inputs = "input_dataset: variant, filename: string, cache: resource",
    .outputs = "handle: variant",
    .attrs = MR_ELEMENT_ATTRS MR_METADATA,
    .flags = kStateful | kElementShapesUnread,
    .shape = DatasetFromScalars,
    .doc = "CacheDataset whose memory is behind a handle.",
};

MR_OP(AnonymousMemoryCache){
    .outputs = "handle: resource, deleter: variant",
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc = "A memory cache, which goes with its handle.",
};

MR_OP(DummyMemoryCache){
    .outputs = "handle: resource",
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc = "A handle to nothing.",
};

MR_OP(DeleteMemoryCache){
    .inputs = "handle: resource, deleter: variant",
    .flags = kStateful,
    .shape = shapes::NoOutputs,
    .doc = "Nothing: a memory cache goes with its handle.",
};

}  // namespace millrace::ops
