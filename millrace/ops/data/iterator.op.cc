#include "millrace/ops/data/element_shapes.op.h"

namespace millrace::ops {

#define MR_ELEMENT_ATTRS \
  "output_types: list(type) >= 1; output_shapes: list(shape) >= 1"

namespace {

Status VectorOfUnknownSize(ShapeContext& c) {
  return c.Return(PartialShape({kUnknownDim}));
}

}  // namespace

MR_OP(Iterator){
    .outputs = "handle: resource",
    .attrs = "shared_name: string; container: string; " MR_ELEMENT_ATTRS,
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc = "A container for an iterator over elements of a data set.",
};

MR_OP(IteratorV2){
    .outputs = "handle: resource",
    .attrs = "shared_name: string; container: string; " MR_ELEMENT_ATTRS,
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc = "A container for an iterator over elements of a data set.",
};

MR_OP(AnonymousIterator){
    .outputs = "handle: resource",
    .attrs = MR_ELEMENT_ATTRS,
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc = "A container for an iterator, which goes with its handle.",
};

MR_OP(AnonymousIteratorV2){
    .outputs = "handle: resource, deleter: variant",
    .attrs = MR_ELEMENT_ATTRS,
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc = "A container for an iterator, which goes with its handle.",
};

MR_OP(AnonymousIteratorV3){
    .outputs = "handle: resource",
    .attrs = MR_ELEMENT_ATTRS,
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc = "A container for an iterator, which goes with its handle.",
};

MR_OP(DeleteIterator){
    .inputs = "handle: resource, deleter: variant",
    .flags = kStateful,
    .shape = shapes::NoOutputs,
    .doc = "Ends what waits at an iterator and frees it.",
};

MR_OP(OneShotIterator){
    .outputs = "handle: resource",
    .attrs = "dataset_factory: func; " MR_ELEMENT_ATTRS
             "; container: string = ''; shared_name: string = ''",
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc = "An iterator that begins by itself, with what a function returns.",
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

MR_OP(IteratorToStringHandle){
    .inputs = "resource_handle: resource",
    .outputs = "string_handle: string",
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc = "The handle of an iterator as a string that can be fed.",
};

MR_OP(IteratorFromStringHandle){
    .inputs = "string_handle: string",
    .outputs = "resource_handle: resource",
    .attrs =
        "output_types: list(type) >= 0 = []; "
        "output_shapes: list(shape) >= 0 = []",
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc = "The iterator that IteratorToStringHandle gave a string for.",
};

MR_OP(IteratorFromStringHandleV2){
    .inputs = "string_handle: string",
    .outputs = "resource_handle: resource",
    .attrs =
        "output_types: list(type) >= 0 = []; "
        "output_shapes: list(shape) >= 0 = []",
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc = "The iterator that IteratorToStringHandle gave a string for.",
};

MR_OP(IteratorGetDevice){
    .inputs = "resource: resource",
    .outputs = "device: string",
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc = "The name of the device that an iterator is on.",
};

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
