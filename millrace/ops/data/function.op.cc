// Data sets that call functions of the graph.
#include "millrace/ops/data/element_shapes.op.h"

namespace millrace::ops {

#define MR_FUNCTION_ATTRS                                        \
  "Targuments: list(type) >= 0; output_types: list(type) >= 1; " \
  "output_shapes: list(shape) >= 1"
#define MR_METADATA "; metadata: string = ''"

MR_OP(MapDataset){
    .inputs = "input_dataset: variant, other_arguments: Targuments",
    .outputs = "handle: variant",
    .attrs = "f: func; " MR_FUNCTION_ATTRS
             "; use_inter_op_parallelism: bool = true; preserve_cardinality: "
             "bool = false; force_synchronous: bool = false" MR_METADATA,
    .shape = shapes::Scalar,
    .doc = "What a function makes of each element.",
};

MR_OP(ParallelMapDataset){
    .inputs =
        "input_dataset: variant, other_arguments: Targuments, "
        "num_parallel_calls: int32",
    .outputs = "handle: variant",
    .attrs = "f: func; " MR_FUNCTION_ATTRS
             "; use_inter_op_parallelism: bool = true; sloppy: bool = false; "
             "preserve_cardinality: bool = false" MR_METADATA,
    .shape = shapes::Scalar,
    .doc = "What a function makes of each element, several at a time.",
};

MR_OP(ParallelMapDatasetV2){
    .inputs =
        "input_dataset: variant, other_arguments: Targuments, "
        "num_parallel_calls: int64",
    .outputs = "handle: variant",
    .attrs = "f: func; " MR_FUNCTION_ATTRS
             "; use_inter_op_parallelism: bool = true; deterministic: string = "
             "'default'; preserve_cardinality: bool = false; "
             "use_unbounded_threadpool: bool = false" MR_METADATA,
    .shape = shapes::Scalar,
    .doc = "What a function makes of each element, several at a time.",
};

MR_OP(MapAndBatchDataset){
    .inputs =
        "input_dataset: variant, other_arguments: Targuments, "
        "batch_size: int64, num_parallel_calls: int64, drop_remainder: "
        "bool",
    .outputs = "handle: variant",
    .attrs = "f: func; " MR_FUNCTION_ATTRS
             "; preserve_cardinality: bool = false" MR_METADATA,
    .shape = shapes::Scalar,
    .doc = "Batches of what a function makes of each element.",
};

MR_OP(FilterDataset){
    .inputs = "input_dataset: variant, other_arguments: Targuments",
    .outputs = "handle: variant",
    .attrs = "predicate: func; " MR_FUNCTION_ATTRS MR_METADATA,
    .shape = shapes::Scalar,
    .doc = "The elements for which a function says true.",
};

MR_OP(ParallelFilterDataset){
    .inputs =
        "input_dataset: variant, other_arguments: Targuments, "
        "num_parallel_calls: int64",
    .outputs = "handle: variant",
    .attrs =
        "predicate: func; deterministic: string = 'default'; " MR_FUNCTION_ATTRS
            MR_METADATA,
    .shape = shapes::Scalar,
    .doc = "The elements for which a function says true.",
};

MR_OP(TakeWhileDataset){
    .inputs = "input_dataset: variant, other_arguments: Targuments",
    .outputs = "handle: variant",
    .attrs = "predicate: func; " MR_FUNCTION_ATTRS MR_METADATA,
    .shape = shapes::Scalar,
    .doc = "The elements before the first for which a function says false.",
};

MR_OP(ScanDataset){
    .inputs =
        "input_dataset: variant, initial_state: Tstate, "
        "other_arguments: Targuments",
    .outputs = "handle: variant",
    .attrs = "f: func; Tstate: list(type) >= 1; " MR_FUNCTION_ATTRS
             "; preserve_cardinality: bool = false; use_default_device: bool = "
             "true" MR_METADATA,
    .shape = shapes::Scalar,
    .doc =
        "What a function makes of each element and of a state that it "
        "passes on.",
};

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

MR_OP(ParallelInterleaveDataset){
    .inputs =
        "input_dataset: variant, other_arguments: Targuments, "
        "cycle_length: int64, block_length: int64, sloppy: bool, "
        "buffer_output_elements: int64, prefetch_input_elements: int64",
    .outputs = "handle: variant",
    .attrs = "f: func; " MR_FUNCTION_ATTRS MR_METADATA,
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

MR_OP(GeneratorDataset){
    .inputs =
        "init_func_other_args: Tinit_func_args, next_func_other_args: "
        "Tnext_func_args, finalize_func_other_args: Tfinalize_func_args",
    .outputs = "handle: variant",
    .attrs =
        "init_func: func; next_func: func; finalize_func: func; "
        "Tinit_func_args: list(type) >= 0; Tnext_func_args: list(type) >= 0; "
        "Tfinalize_func_args: list(type) >= 0; output_types: list(type) >= 1; "
        "output_shapes: list(shape) >= 1" MR_METADATA,
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc =
        "Elements that one function makes of a state, until it says "
        "OUT_OF_RANGE; another made the state, a third takes it at the end.",
};

MR_OP(ReduceDataset){
    .inputs =
        "input_dataset: variant, initial_state: Tstate, "
        "other_arguments: Targuments",
    .outputs = "components: output_types",
    .attrs = "f: func; Tstate: list(type) >= 1; " MR_FUNCTION_ATTRS
             "; use_inter_op_parallelism: bool = true" MR_METADATA,
    .flags = kStateful,
    .shape = ReducedShapes,
    .doc = "What a function makes of a state and one element after the other.",
};

MR_OP(DatasetToSingleElement){
    .inputs = "dataset: variant",
    .outputs = "components: output_types",
    .attrs =
        "output_types: list(type) >= 1; output_shapes: list(shape) >= "
        "1" MR_METADATA,
    .flags = kStateful,
    .shape = ReducedShapes,
    .doc = "The element of a data set that has one.",
};

}  // namespace millrace::ops
