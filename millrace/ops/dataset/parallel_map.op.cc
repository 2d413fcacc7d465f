#include "millrace/ops/data/element_shapes.op.h"

namespace millrace::ops {
namespace {

#define MR_MAP_AND_BATCH_ATTRS \
  "f: func; " MR_FUNCTION_ATTRS "; preserve_cardinality: bool = false"

// Requires the last three inputs, behind the captured tensors, to be scalars.
Status LastThreeScalars(ShapeContext& c) {
  for (int i = c.num_inputs() - 3; i < c.num_inputs(); ++i) {
    MR_RETURN_IF_ERROR(c.WithRank(i, 0).status());
  }
  return shapes::Scalar(c);
}

consteval OpFields MapAndBatch(const char* attrs) {
  return {
      .inputs =
          "input_dataset: variant, other_arguments: Targuments, "
          "batch_size: int64, num_parallel_calls: int64, drop_remainder: bool",
      .outputs = "handle: variant",
      .attrs = attrs,
      .shape = LastThreeScalars,
      .doc = "Batches of what a function makes of each element.",
  };
}

}  // namespace

MR_OP(ParallelMapDataset){
    .inputs =
        "input_dataset: variant, other_arguments: Targuments, "
        "num_parallel_calls: int32",
    .outputs = "handle: variant",
    .attrs = "f: func; " MR_FUNCTION_ATTRS
             "; use_inter_op_parallelism: bool = true; sloppy: bool = false; "
             "preserve_cardinality: bool = false" MR_METADATA,
    .shape = shapes::Scalar,
    .doc = "Applies a function to each element, to several at a time.",
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
    .doc = "Applies a function to each element, to several at a time.",
};

MR_OP(MapAndBatchDataset)(MapAndBatch(MR_MAP_AND_BATCH_ATTRS MR_METADATA));

MR_OP(ExperimentalMapAndBatchDataset)(MapAndBatch(MR_MAP_AND_BATCH_ATTRS));

}  // namespace millrace::ops
