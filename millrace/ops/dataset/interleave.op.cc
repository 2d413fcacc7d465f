#include "millrace/ops/data/element_shapes.op.h"

namespace millrace::ops {
namespace {

consteval OpFields ParallelInterleave(const char* attrs) {
  return {
      .inputs =
          "input_dataset: variant, other_arguments: Targuments, "
          "cycle_length: int64, block_length: int64, sloppy: bool, "
          "buffer_output_elements: int64, prefetch_input_elements: int64",
      .outputs = "handle: variant",
      .attrs = attrs,
      .shape = shapes::Scalar,
      .doc = "InterleaveDataset that works ahead.",
  };
}

}  // namespace

MR_OP(FlatMapDataset){
    .inputs = "input_dataset: variant, other_arguments: Targuments",
    .outputs = "handle: variant",
    .attrs = "f: func; " MR_FUNCTION_ATTRS MR_METADATA,
    .shape = shapes::Scalar,
    .doc = "The elements of the data sets that a function makes of elements.",
};

MR_OP(InterleaveDataset){
    .inputs =
        "input_dataset: variant, other_arguments: Targuments, "
        "cycle_length: int64, block_length: int64",
    .outputs = "handle: variant",
    .attrs = "f: func; " MR_FUNCTION_ATTRS MR_METADATA,
    .shape = shapes::Scalar,
    .doc =
        "The elements of the data sets that a function makes of elements, "
        "of several in turn.",
};

MR_OP(ParallelInterleaveDataset)
(ParallelInterleave("f: func; " MR_FUNCTION_ATTRS MR_METADATA));

MR_OP(ExperimentalParallelInterleaveDataset)
(ParallelInterleave("f: func; " MR_FUNCTION_ATTRS));

MR_OP(ParallelInterleaveDatasetV2){
    .inputs =
        "input_dataset: variant, other_arguments: Targuments, "
        "cycle_length: int64, block_length: int64, num_parallel_calls: "
        "int64",
    .outputs = "handle: variant",
    .attrs = "f: func; " MR_FUNCTION_ATTRS "; sloppy: bool = false" MR_METADATA,
    .shape = shapes::Scalar,
    .doc = "InterleaveDataset that works ahead.",
};

MR_OP(ParallelInterleaveDatasetV3){
    .inputs =
        "input_dataset: variant, other_arguments: Targuments, "
        "cycle_length: int64, block_length: int64, num_parallel_calls: "
        "int64",
    .outputs = "handle: variant",
    .attrs = "f: func; deterministic: string = 'default'; " MR_FUNCTION_ATTRS
        MR_METADATA,
    .shape = shapes::Scalar,
    .doc = "InterleaveDataset that works ahead.",
};

MR_OP(ParallelInterleaveDatasetV4){
    .inputs =
        "input_dataset: variant, other_arguments: Targuments, "
        "cycle_length: int64, block_length: int64, "
        "buffer_output_elements: int64, prefetch_input_elements: int64, "
        "num_parallel_calls: int64",
    .outputs = "handle: variant",
    .attrs = "f: func; deterministic: string = 'default'; " MR_FUNCTION_ATTRS
        MR_METADATA,
    .shape = shapes::Scalar,
    .doc = "InterleaveDataset that works ahead.",
};

MR_OP(LegacyParallelInterleaveDatasetV2){
    .inputs =
        "input_dataset: variant, other_arguments: Targuments, "
        "cycle_length: int64, block_length: int64, "
        "buffer_output_elements: int64, prefetch_input_elements: int64",
    .outputs = "handle: variant",
    .attrs = "f: func; deterministic: string = 'default'; " MR_FUNCTION_ATTRS
        MR_METADATA,
    .shape = shapes::Scalar,
    .doc = "ParallelInterleaveDataset, which reads several files at a time.",
};

}  // namespace millrace::ops
