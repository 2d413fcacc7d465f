// Data sets that keep elements.
#include "millrace/ops/data/element_shapes.op.h"

namespace millrace::ops {

#define MR_ELEMENT_ATTRS \
  "output_types: list(type) >= 1; output_shapes: list(shape) >= 1"
#define MR_METADATA "; metadata: string = ''"

MR_OP(PrefetchDataset){
    .inputs = "input_dataset: variant, buffer_size: int64",
    .outputs = "handle: variant",
    .attrs = MR_ELEMENT_ATTRS
    "; slack_period: int = 0; legacy_autotune: bool = true; "
    "buffer_size_min: int = 0" MR_METADATA,
    .shape = DatasetFromScalars,
    .doc = "Elements produced before they are asked for.",
};

MR_OP(ShuffleDataset){
    .inputs =
        "input_dataset: variant, buffer_size: int64, seed: int64, "
        "seed2: int64",
    .outputs = "handle: variant",
    .attrs =
        "reshuffle_each_iteration: bool = true; " MR_ELEMENT_ATTRS MR_METADATA,
    .shape = DatasetFromScalars,
    .doc = "Elements in random order, chosen among so many at a time.",
};

MR_OP(ShuffleDatasetV2){
    .inputs =
        "input_dataset: variant, buffer_size: int64, seed_generator: resource",
    .outputs = "handle: variant",
    .attrs = MR_ELEMENT_ATTRS MR_METADATA,
    .flags = kStateful,
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
    .flags = kStateful,
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
    .flags = kStateful,
    .shape = DatasetFromScalars,
    .doc = "Shuffled elements, several times over.",
};

MR_OP(AnonymousSeedGenerator){
    .inputs = "seed: int64, seed2: int64, reshuffle: bool",
    .outputs = "handle: resource, deleter: variant",
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc = "A seed generator, which goes with its handle.",
};

MR_OP(AnonymousRandomSeedGenerator){
    .inputs = "seed: int64, seed2: int64",
    .outputs = "handle: resource, deleter: variant",
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc = "A seed generator, which goes with its handle.",
};

MR_OP(DeleteSeedGenerator){
    .inputs = "handle: resource, deleter: variant",
    .flags = kStateful,
    .shape = shapes::NoOutputs,
    .doc = "Nothing: a seed generator goes with its handle.",
};

MR_OP(DeleteRandomSeedGenerator){
    .inputs = "handle: resource, deleter: variant",
    .flags = kStateful,
    .shape = shapes::NoOutputs,
    .doc = "Nothing: a seed generator goes with its handle.",
};

MR_OP(DummySeedGenerator){
    .outputs = "handle: resource",
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc = "A handle to nothing.",
};

MR_OP(DummyIterationCounter){
    .outputs = "handle: resource",
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc = "A handle to nothing.",
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

MR_OP(CacheDataset){
    .inputs = "input_dataset: variant, filename: string",
    .outputs = "handle: variant",
    .attrs = MR_ELEMENT_ATTRS MR_METADATA,
    .shape = DatasetFromScalars,
    .doc = "The elements, kept for later passes in memory or in a file.",
};

MR_OP(CacheDatasetV2){
    .inputs = "input_dataset: variant, filename: string, cache: resource",
    .outputs = "handle: variant",
    .attrs = MR_ELEMENT_ATTRS MR_METADATA,
    .flags = kStateful,
    .shape = DatasetFromScalars,
    .doc = "CacheDataset whose memory is behind a handle.",
};

MR_OP(AnonymousMemoryCache){
    .outputs = "handle: resource, deleter: variant",
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc = "A memory cache, which goes with its handle.",
};

}  // namespace millrace::ops
