#include "millrace/ops/data/element_shapes.op.h"

namespace millrace::ops {
namespace {

#define MR_TAKE_WHILE_ATTRS "predicate: func; " MR_FUNCTION_ATTRS

consteval OpFields TakeWhile(const char* attrs) {
  return {
      .inputs = "input_dataset: variant, other_arguments: Targuments",
      .outputs = "handle: variant",
      .attrs = attrs,
      .flags = kElementShapesUnread,
      .shape = shapes::Scalar,
      .doc = "The elements before the first for which a function says false.",
  };
}

#define MR_SCAN_ATTRS                                    \
  "f: func; Tstate: list(type) >= 1; " MR_FUNCTION_ATTRS \
  "; preserve_cardinality: bool = false"

consteval OpFields Scan(const char* attrs) {
  return {
      .inputs =
          "input_dataset: variant, initial_state: Tstate, "
          "other_arguments: Targuments",
      .outputs = "handle: variant",
      .attrs = attrs,
      .shape = shapes::Scalar,
      .doc =
          "Applies a function to each element and a state, which it passes "
          "on.",
  };
}

}  // namespace

MR_OP(MapDataset){
    .inputs = "input_dataset: variant, other_arguments: Targuments",
    .outputs = "handle: variant",
    .attrs = "f: func; " MR_FUNCTION_ATTRS
             "; use_inter_op_parallelism: bool = true; preserve_cardinality: "
             "bool = false; force_synchronous: bool = false" MR_METADATA,
    .shape = shapes::Scalar,
    .doc = "Applies a function to each element.",
};

MR_OP(FilterDataset){
    .inputs = "input_dataset: variant, other_arguments: Targuments",
    .outputs = "handle: variant",
    .attrs = "predicate: func; " MR_FUNCTION_ATTRS MR_METADATA,
    .flags = kElementShapesUnread,
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
    .flags = kElementShapesUnread,
    .shape = shapes::Scalar,
    .doc = "The elements for which a function says true.",
};

MR_OP(TakeWhileDataset)(TakeWhile(MR_TAKE_WHILE_ATTRS MR_METADATA));

MR_OP(ExperimentalTakeWhileDataset)(TakeWhile(MR_TAKE_WHILE_ATTRS));

MR_OP(ScanDataset)
(Scan(MR_SCAN_ATTRS "; use_default_device: bool = true" MR_METADATA));

MR_OP(ExperimentalScanDataset)(Scan(MR_SCAN_ATTRS));

}  // namespace millrace::ops
