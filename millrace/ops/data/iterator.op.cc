#include "millrace/ops/data/element_shapes.op.h"

namespace millrace::ops {
namespace {

constexpr OpFields kIterator = {
    .outputs = "handle: resource",
    .attrs = "shared_name: string; container: string; " MR_ELEMENT_ATTRS,
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc = "A container for an iterator over elements of a data set.",
};

constexpr OpFields kAnonymousIterator = {
    .outputs = "handle: resource",
    .attrs = MR_ELEMENT_ATTRS,
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc = "A container for an iterator, which goes with its handle.",
};

constexpr OpFields kGetDevice = {
    .inputs = "resource: resource",
    .outputs = "device: string",
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc = "The name of the device that an iterator is on.",
};

}  // namespace

MR_OP(Iterator)(kIterator);

MR_OP(IteratorV2)(kIterator);

MR_OP(AnonymousIterator)(kAnonymousIterator);

MR_OP(AnonymousIteratorV2){
    .outputs = "handle: resource, deleter: variant",
    .attrs = MR_ELEMENT_ATTRS,
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc = "A container for an iterator, which goes with its handle.",
};

MR_OP(AnonymousIteratorV3)(kAnonymousIterator);

MR_OP(DeleteIterator){
    .inputs = "handle: resource, deleter: variant",
    .flags = kStateful,
    .shape = shapes::NoOutputs,
    .doc = "Ends what waits at an iterator and frees it.",
};

MR_OP(MakeIterator){
    .inputs = "dataset: variant, iterator: resource",
    .flags = kStateful,
    .shape = shapes::NoOutputs,
    .doc = "Begins an iterator anew, with a data set.",
};

MR_OP(IteratorGetNext){
    .inputs = "iterator: resource",
    .outputs = "components: output_types",
    .attrs = MR_ELEMENT_ATTRS,
    .flags = kStateful,
    .shape = ComponentShapes,
    .doc = "The next element; OUT_OF_RANGE at the end.",
};

MR_OP(IteratorGetNextSync){
    .inputs = "iterator: resource",
    .outputs = "components: output_types",
    .attrs = MR_ELEMENT_ATTRS,
    .flags = kStateful,
    .shape = ComponentShapes,
    .doc = "IteratorGetNext; here it blocks no thread either.",
};

MR_OP(IteratorGetNextAsOptional){
    .inputs = "iterator: resource",
    .outputs = "optional: variant",
    .attrs = MR_ELEMENT_ATTRS,
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc = "The next element as an optional, which is empty at the end.",
};

MR_OP(IteratorGetDevice)(kGetDevice);

MR_OP(ExperimentalIteratorGetDevice)(kGetDevice);

}  // namespace millrace::ops
