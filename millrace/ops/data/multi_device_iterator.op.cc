#include "millrace/ops/data/element_shapes.op.h"

namespace millrace::ops {
namespace {

consteval OpFields AnonymousMultiDevice(const char* outputs) {
  return {
      .outputs = outputs,
      .attrs = "devices: list(string) >= 1; " MR_ELEMENT_ATTRS,
      .flags = kStateful,
      .shape = shapes::Scalar,
      .doc =
          "A container for an iterator for several devices, which goes with "
          "its handle.",
  };
}

}  // namespace

MR_OP(MultiDeviceIterator){
    .outputs = "handle: resource",
    .attrs =
        "devices: list(string) >= 1; shared_name: string; "
        "container: string; " MR_ELEMENT_ATTRS,
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc =
        "A container for an iterator whose elements belong to several devices "
        "in turn.",
};

MR_OP(AnonymousMultiDeviceIterator)
(AnonymousMultiDevice("handle: resource, deleter: variant"));

MR_OP(AnonymousMultiDeviceIteratorV3)(AnonymousMultiDevice("handle: resource"));

MR_OP(MultiDeviceIteratorInit){
    .inputs =
        "dataset: variant, multi_device_iterator: resource, "
        "max_buffer_size: int64",
    .outputs = "incarnation_id: int64",
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc = "Begins an iterator for several devices anew, with a data set.",
};

MR_OP(MultiDeviceIteratorGetNextFromShard){
    .inputs =
        "multi_device_iterator: resource, shard_num: int32, "
        "incarnation_id: int64",
    .outputs = "components: output_types",
    .attrs = MR_ELEMENT_ATTRS,
    .flags = kStateful,
    .shape = ComponentShapes,
    .doc = "The next element of a device; OUT_OF_RANGE at the end.",
};

MR_OP(MultiDeviceIteratorToStringHandle){
    .inputs = "multi_device_iterator: resource",
    .outputs = "string_handle: string",
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc = "The handle of an iterator as a string that can be fed.",
};

MR_OP(MultiDeviceIteratorFromStringHandle){
    .inputs = "string_handle: string",
    .outputs = "multi_device_iterator: resource",
    .attrs =
        "output_types: list(type) >= 0 = []; "
        "output_shapes: list(shape) >= 0 = []",
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc =
        "The iterator that MultiDeviceIteratorToStringHandle gave a string "
        "for.",
};

MR_OP(DeleteMultiDeviceIterator){
    .inputs =
        "multi_device_iterator: resource, iterators: N * resource, "
        "deleter: variant",
    .attrs = "N: int >= 0",
    .flags = kStateful,
    .shape = shapes::NoOutputs,
    .doc = "Ends what waits at an iterator for several devices and frees it.",
};

}  // namespace millrace::ops
