#include "millrace/ops/parse/output_shapes.op.h"

namespace millrace::ops {
namespace {

template <ExampleOp kOp>
Status ExampleShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const FeatureSpecs specs,
                      ReadFeatureSpecs(kOp, c.attrs()));
  PartialShape examples;
  if (kOp == ExampleOp::kSingle) {
    MR_ASSIGN_OR_RETURN(examples, c.WithRank(0, 0));
  } else if (kOp == ExampleOp::kBatch) {
    MR_ASSIGN_OR_RETURN(examples, c.WithRank(0, 1));
    MR_RETURN_IF_ERROR(c.WithRank(1, 1).status());
  } else {
    MR_ASSIGN_OR_RETURN(examples, c.WithRankAtMost(0, 1));
    MR_RETURN_IF_ERROR(c.WithRankAtMost(1, 1).status());
  }
  OutputShapes out(c);
  out.Sparse(specs.sparse.size(), examples, 1);
  out.Dense(specs.dense, examples);
  return out.Ragged(specs.ragged.size(), NumExamples(examples));
}

}  // namespace

MR_OP(ParseExample){
    .inputs =
        "serialized: string, names: string, sparse_keys: Nsparse * string, "
        "dense_keys: Ndense * string, dense_defaults: Tdense",
    .outputs =
        "sparse_indices: Nsparse * int64, sparse_values: sparse_types, "
        "sparse_shapes: Nsparse * int64, dense_values: Tdense",
    .attrs =
        "Nsparse: int >= 0; Ndense: int >= 0; "
        "sparse_types: list({float, int64, string}) >= 0; "
        "Tdense: list({float, int64, string}) >= 0; "
        "dense_shapes: list(shape) >= 0",
    .shape = ExampleShape<ExampleOp::kBatch>,
    .doc = "Features of serialized Example messages, as tensors.",
};

MR_OP(ParseExampleV2){
    .inputs =
        "serialized: string, names: string, sparse_keys: string, "
        "dense_keys: string, ragged_keys: string, dense_defaults: Tdense",
    .outputs =
        "sparse_indices: num_sparse * int64, sparse_values: sparse_types, "
        "sparse_shapes: num_sparse * int64, dense_values: Tdense, "
        "ragged_values: ragged_value_types, "
        "ragged_row_splits: ragged_split_types",
    .attrs =
        "Tdense: list({float, int64, string}) >= 0; num_sparse: int >= 0; "
        "sparse_types: list({float, int64, string}) >= 0; "
        "ragged_value_types: list({float, int64, string}) >= 0; "
        "ragged_split_types: list({int32, int64}) >= 0; "
        "dense_shapes: list(shape) >= 0",
    .shape = ExampleShape<ExampleOp::kV2>,
    .doc =
        "ParseExample with ragged features, of a vector of messages or of one.",
};

MR_OP(ParseSingleExample){
    .inputs = "serialized: string, dense_defaults: Tdense",
    .outputs =
        "sparse_indices: num_sparse * int64, sparse_values: sparse_types, "
        "sparse_shapes: num_sparse * int64, dense_values: Tdense",
    .attrs =
        "num_sparse: int >= 0; sparse_keys: list(string) >= 0; "
        "dense_keys: list(string) >= 0; "
        "sparse_types: list({float, int64, string}) >= 0; "
        "Tdense: list({float, int64, string}) >= 0; "
        "dense_shapes: list(shape) >= 0",
    .shape = ExampleShape<ExampleOp::kSingle>,
    .doc = "Features of one serialized Example message.",
};

}  // namespace millrace::ops
