#include "millrace/ops/data/element_shapes.op.h"

namespace millrace::ops {
namespace {

constexpr OpFields kFromStringHandle = {
    .inputs = "string_handle: string",
    .outputs = "resource_handle: resource",
    .attrs =
        "output_types: list(type) >= 0 = []; "
        "output_shapes: list(shape) >= 0 = []",
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc = "The iterator that IteratorToStringHandle gave a string for.",
};

}  // namespace

MR_OP(IteratorToStringHandle){
    .inputs = "resource_handle: resource",
    .outputs = "string_handle: string",
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc = "The handle of an iterator as a string that can be fed.",
};

MR_OP(IteratorFromStringHandle)(kFromStringHandle);

MR_OP(IteratorFromStringHandleV2)(kFromStringHandle);

}  // namespace millrace::ops
