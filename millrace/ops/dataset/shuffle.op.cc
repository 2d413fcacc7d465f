#include "millrace/ops/data/element_shapes.op.h"

namespace millrace::ops {

MR_OP(ShuffleDataset){
    .inputs =
        "input_dataset: variant, buffer_size: int64, seed: int64, "
        "seed2: int64",
    .outputs = "handle: variant",
    .attrs =
        "reshuffle_each_iteration: bool = true; " MR_ELEMENT_ATTRS MR_METADATA,
    .flags = kElementShapesUnread,
    .shape = DatasetFromScalars,
    .doc = "Elements in random order, chosen among so many at a time.",
};

MR_OP(ShuffleDatasetV2){
    .inputs =
        "input_dataset: variant, buffer_size: int64, seed_generator: resource",
    .outputs = "handle: variant",
    .attrs = MR_ELEMENT_ATTRS MR_METADATA,
    .flags = kStateful | kElementShapesUnread,
    .shape = DatasetFromScalars,
    .doc = "ShuffleDataset with seeds of a generator.",
};

MR_OP(ShuffleDatasetV3){
    .inputs =
        "input_dataset: variant, buffer_size: int64, seed: int64, "
        "seed2: int64, seed_generator: resource",
    .outputs = "handle: variant",
    .attrs =
        "reshuffle_each_iteration: bool = true; " MR_ELEMENT_ATTRS MR_METADATA,
    .flags = kStateful | kElementShapesUnread,
    .shape = DatasetFromScalars,
    .doc = "ShuffleDataset with seeds of a generator, if there is one.",
};

MR_OP(ShuffleAndRepeatDataset){
    .inputs =
        "input_dataset: variant, buffer_size: int64, seed: int64, "
        "seed2: int64, count: int64",
    .outputs = "handle: variant",
    .attrs = MR_ELEMENT_ATTRS
    "; reshuffle_each_iteration: bool = true" MR_METADATA,
    .flags = kElementShapesUnread,
    .shape = DatasetFromScalars,
    .doc = "Shuffled elements, several times over.",
};

MR_OP(ShuffleAndRepeatDatasetV2){
    .inputs =
        "input_dataset: variant, buffer_size: int64, seed: int64, "
        "seed2: int64, count: int64, seed_generator: resource",
    .outputs = "handle: variant",
    .attrs =
        "reshuffle_each_iteration: bool = true; " MR_ELEMENT_ATTRS MR_METADATA,
    .flags = kStateful | kElementShapesUnread,
    .shape = DatasetFromScalars,
    .doc = "Shuffled elements, several times over.",
};

}  // namespace millrace::ops
