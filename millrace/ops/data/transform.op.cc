// Data sets over data sets, without functions.
#include "millrace/ops/data/element_shapes.op.h"

namespace millrace::ops {

#define MR_ELEMENT_ATTRS \
  "output_types: list(type) >= 1; output_shapes: list(shape) >= 1"
#define MR_METADATA "; metadata: string = ''"

namespace {

// Of padded batches: the size, and what comes behind the padding.
Status ScalarSize(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  return shapes::Scalar(c);
}
Status ScalarSizeAndLast(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(c.num_inputs() - 1, 0).status());
  return ScalarSize(c);
}

}  // namespace

MR_OP(TakeDataset){
    .inputs = "input_dataset: variant, count: int64",
    .outputs = "handle: variant",
    .attrs = MR_ELEMENT_ATTRS MR_METADATA,
    .shape = DatasetFromScalars,
    .doc = "The first elements; all for a negative count.",
};

MR_OP(SkipDataset){
    .inputs = "input_dataset: variant, count: int64",
    .outputs = "handle: variant",
    .attrs = MR_ELEMENT_ATTRS MR_METADATA,
    .shape = DatasetFromScalars,
    .doc = "All but the first elements; none for a negative count.",
};

MR_OP(RepeatDataset){
    .inputs = "input_dataset: variant, count: int64",
    .outputs = "handle: variant",
    .attrs = MR_ELEMENT_ATTRS MR_METADATA,
    .shape = DatasetFromScalars,
    .doc =
        "The elements, several times over; without end for a negative "
        "count.",
};

MR_OP(ZipDataset){
    .inputs = "input_datasets: N * variant",
    .outputs = "handle: variant",
    .attrs = MR_ELEMENT_ATTRS "; N: int >= 1" MR_METADATA,
    .shape = shapes::Scalar,
    .doc = "The components of one element of each, until one ends.",
};

MR_OP(ConcatenateDataset){
    .inputs = "input_dataset: variant, another_dataset: variant",
    .outputs = "handle: variant",
    .attrs = MR_ELEMENT_ATTRS MR_METADATA,
    .shape = DatasetFromScalars,
    .doc = "The elements of the one, then those of the other.",
};

MR_OP(ShardDataset){
    .inputs = "input_dataset: variant, num_shards: int64, index: int64",
    .outputs = "handle: variant",
    .attrs = "require_non_empty: bool = false; " MR_ELEMENT_ATTRS MR_METADATA,
    .shape = DatasetFromScalars,
    .doc = "Every num_shards-th element, from number index.",
};

MR_OP(BatchDataset){
    .inputs = "input_dataset: variant, batch_size: int64",
    .outputs = "handle: variant",
    .attrs = MR_ELEMENT_ATTRS MR_METADATA,
    .shape = DatasetFromScalars,
    .doc = "Elements stacked along a new first dimension.",
};

MR_OP(BatchDatasetV2){
    .inputs = "input_dataset: variant, batch_size: int64, drop_remainder: bool",
    .outputs = "handle: variant",
    .attrs = "parallel_copy: bool = false; " MR_ELEMENT_ATTRS MR_METADATA,
    .shape = DatasetFromScalars,
    .doc = "Elements stacked along a new first dimension.",
};

MR_OP(ParallelBatchDataset){
    .inputs =
        "input_dataset: variant, batch_size: int64, num_parallel_calls: "
        "int64, drop_remainder: bool",
    .outputs = "handle: variant",
    .attrs = "parallel_copy: bool = false; " MR_ELEMENT_ATTRS
             "; deterministic: string = 'default'" MR_METADATA,
    .shape = DatasetFromScalars,
    .doc = "Elements stacked along a new first dimension.",
};

MR_OP(PaddedBatchDataset){
    .inputs =
        "input_dataset: variant, batch_size: int64, padded_shapes: N * "
        "int64, padding_values: Toutput_types",
    .outputs = "handle: variant",
    .attrs =
        "Toutput_types: list(type) >= 1; output_shapes: list(shape) >= 1; "
        "N: int >= 1" MR_METADATA,
    .shape = ScalarSize,
    .doc = "Elements, padded to one shape, along a new first dimension.",
};

MR_OP(PaddedBatchDatasetV2){
    .inputs =
        "input_dataset: variant, batch_size: int64, padded_shapes: N * "
        "int64, padding_values: Toutput_types, drop_remainder: bool",
    .outputs = "handle: variant",
    .attrs =
        "parallel_copy: bool = false; Toutput_types: list(type) >= 1; "
        "output_shapes: list(shape) >= 1; N: int >= 1" MR_METADATA,
    .shape = ScalarSizeAndLast,
    .doc = "Elements, padded to one shape, along a new first dimension.",
};

MR_OP(WindowDataset){
    .inputs =
        "input_dataset: variant, size: int64, shift: int64, stride: "
        "int64, drop_remainder: bool",
    .outputs = "handle: variant",
    .attrs = MR_ELEMENT_ATTRS MR_METADATA,
    .shape = DatasetFromScalars,
    .doc = "Data sets of so many elements, one for each component.",
};

MR_OP(UnbatchDataset){
    .inputs = "input_dataset: variant",
    .outputs = "handle: variant",
    .attrs = MR_ELEMENT_ATTRS MR_METADATA,
    .shape = shapes::Scalar,
    .doc = "The rows of the elements.",
};

MR_OP(OptionsDataset){
    .inputs = "input_dataset: variant",
    .outputs = "handle: variant",
    .attrs = "serialized_options: string; " MR_ELEMENT_ATTRS MR_METADATA,
    .shape = DatasetFromScalars,
    .doc = "The data set as it is.",
};

MR_OP(RewriteDataset){
    .inputs = "input_dataset: variant, rewrite_name: string",
    .outputs = "handle: variant",
    .attrs = MR_ELEMENT_ATTRS,
    .shape = DatasetFromScalars,
    .doc =
        "The data set as it is: rewriting changes nothing that a program "
        "sees.",
};

MR_OP(ModelDataset){
    .inputs = "input_dataset: variant",
    .outputs = "handle: variant",
    .attrs =
        "algorithm: int = 0; cpu_budget: int = 0; ram_budget: int = "
        "0; " MR_ELEMENT_ATTRS,
    .shape = DatasetFromScalars,
    .doc = "The data set as it is.",
};

MR_OP(FinalizeDataset){
    .inputs = "input_dataset: variant",
    .outputs = "handle: variant",
    .attrs = "has_captured_ref: bool = false; " MR_ELEMENT_ATTRS,
    .shape = DatasetFromScalars,
    .doc = "The data set as it is.",
};

MR_OP(MaxIntraOpParallelismDataset){
    .inputs = "input_dataset: variant, max_intra_op_parallelism: int64",
    .outputs = "handle: variant",
    .attrs = MR_ELEMENT_ATTRS,
    .shape = DatasetFromScalars,
    .doc = "The data set as it is; the server decides on its threads.",
};

MR_OP(PrivateThreadPoolDataset){
    .inputs = "input_dataset: variant, num_threads: int64",
    .outputs = "handle: variant",
    .attrs = MR_ELEMENT_ATTRS,
    .shape = DatasetFromScalars,
    .doc = "The data set as it is; the server decides on its threads.",
};

MR_OP(DatasetCardinality){
    .inputs = "input_dataset: variant",
    .outputs = "cardinality: int64",
    .attrs = "cardinality_options: string = ''",
    .shape = shapes::Scalar,
    .doc = "The number of elements, -1 without end, -2 if it is not known.",
};

}  // namespace millrace::ops
