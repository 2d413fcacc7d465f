#include "millrace/ops/data/element_shapes.op.h"

namespace millrace::ops {
namespace {

// Requires input 1, the size of a padded batch, to be a scalar.
Status ScalarSize(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  return shapes::Scalar(c);
}

// Requires the last input to be a scalar, too.
Status ScalarSizeAndLast(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(c.num_inputs() - 1, 0).status());
  return ScalarSize(c);
}

consteval OpFields Unbatch(const char* attrs) {
  return {
      .inputs = "input_dataset: variant",
      .outputs = "handle: variant",
      .attrs = attrs,
      .flags = kElementShapesUnread,
      .shape = shapes::Scalar,
      .doc = "The rows of the elements.",
  };
}

}  // namespace

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
    .flags = kElementShapesUnread,
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
    .flags = kElementShapesUnread,
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
    .flags = kElementShapesUnread,
    .shape = ScalarSizeAndLast,
    .doc = "Elements, padded to one shape, along a new first dimension.",
};

MR_OP(UnbatchDataset)(Unbatch(MR_ELEMENT_ATTRS MR_METADATA));

MR_OP(ExperimentalUnbatchDataset)(Unbatch(MR_ELEMENT_ATTRS));

}  // namespace millrace::ops
