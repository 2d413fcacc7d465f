#include "millrace/ops/parse/output_shapes.op.h"
#include "millrace/ops/parse/sequence_types.op.h"

namespace millrace::ops {
namespace {

template <SequenceOp kOp>
Status SequenceShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const SequenceSpecs specs,
                      ReadSequenceSpecs(kOp, c.attrs()));
  PartialShape examples;
  if (kOp == SequenceOp::kBatch) {
    MR_ASSIGN_OR_RETURN(examples, c.WithRank(0, 1));
    MR_RETURN_IF_ERROR(c.WithRank(1, 1).status());
  } else {
    MR_ASSIGN_OR_RETURN(examples, c.WithRankAtMost(0, 1));
    MR_RETURN_IF_ERROR(c.WithRankAtMost(1, 1).status());
  }
  const int64_t n = NumExamples(examples);
  OutputShapes out(c);
  out.Sparse(specs.context.sparse.size(), examples, 1);
  out.Dense(specs.context.dense, examples);
  MR_RETURN_IF_ERROR(out.Ragged(specs.context.ragged.size(), n));
  out.Sparse(specs.lists.sparse.size(), examples, 2);
  out.Dense(specs.lists.dense,
            examples.known_rank()
                ? examples.Concatenate(PartialShape({kUnknownDim}))
                : PartialShape());
  out.Repeat(specs.lists.dense.size(), examples);
  MR_RETURN_IF_ERROR(out.Ragged(specs.lists.ragged.size(), n));
  // Inner row splits.
  out.Repeat(specs.lists.ragged.size(), PartialShape({kUnknownDim}));
  return OkStatus();
}

}  // namespace

MR_OP(ParseSequenceExample){
    .inputs =
        "serialized: string, debug_name: string, "
        "context_dense_defaults: Tcontext_dense",
    .outputs =
        "context_sparse_indices: Ncontext_sparse * int64, "
        "context_sparse_values: context_sparse_types, "
        "context_sparse_shapes: Ncontext_sparse * int64, "
        "context_dense_values: Tcontext_dense, "
        "feature_list_sparse_indices: Nfeature_list_sparse * int64, "
        "feature_list_sparse_values: feature_list_sparse_types, "
        "feature_list_sparse_shapes: Nfeature_list_sparse * int64, "
        "feature_list_dense_values: feature_list_dense_types, "
        "feature_list_dense_lengths: Nfeature_list_dense * int64",
    .attrs =
        "feature_list_dense_missing_assumed_empty: list(string) >= 0; "
        "context_sparse_keys: list(string) >= 0; "
        "context_dense_keys: list(string) >= 0; "
        "feature_list_sparse_keys: list(string) >= 0; "
        "feature_list_dense_keys: list(string) >= 0; "
        "Ncontext_sparse: int >= 0 = 0; Ncontext_dense: int >= 0 = 0; "
        "Nfeature_list_sparse: int >= 0 = 0; "
        "Nfeature_list_dense: int >= 0 = 0; " MR_SEQUENCE_TYPES,
    .shape = SequenceShape<SequenceOp::kBatch>,
    .doc =
        "Context features and lists of features of serialized SequenceExample "
        "messages.",
};

MR_OP(ParseSequenceExampleV2){
    .inputs =
        "serialized: string, debug_name: string, context_sparse_keys: string, "
        "context_dense_keys: string, context_ragged_keys: string, "
        "feature_list_sparse_keys: string, feature_list_dense_keys: string, "
        "feature_list_ragged_keys: string, "
        "feature_list_dense_missing_assumed_empty: bool, "
        "context_dense_defaults: Tcontext_dense",
    .outputs =
        "context_sparse_indices: Ncontext_sparse * int64, "
        "context_sparse_values: context_sparse_types, "
        "context_sparse_shapes: Ncontext_sparse * int64, "
        "context_dense_values: Tcontext_dense, "
        "context_ragged_values: context_ragged_value_types, "
        "context_ragged_row_splits: context_ragged_split_types, "
        "feature_list_sparse_indices: Nfeature_list_sparse * int64, "
        "feature_list_sparse_values: feature_list_sparse_types, "
        "feature_list_sparse_shapes: Nfeature_list_sparse * int64, "
        "feature_list_dense_values: feature_list_dense_types, "
        "feature_list_dense_lengths: Nfeature_list_dense * int64, "
        "feature_list_ragged_values: feature_list_ragged_value_types, "
        "feature_list_ragged_outer_splits: feature_list_ragged_split_types, "
        "feature_list_ragged_inner_splits: feature_list_ragged_split_types",
    .attrs =
        "Ncontext_sparse: int >= 0 = 0; "
        "Tcontext_dense: list({float, int64, string}) >= 0 = []; "
        "context_sparse_types: list({float, int64, string}) >= 0 = []; "
        "context_ragged_value_types: list({float, int64, string}) >= 0 = []; "
        "context_ragged_split_types: list({int32, int64}) >= 0 = []; "
        "context_dense_shapes: list(shape) >= 0 = []; "
        "Nfeature_list_sparse: int >= 0 = 0; "
        "Nfeature_list_dense: int >= 0 = 0; "
        "feature_list_dense_types: list({float, int64, string}) >= 0 = []; "
        "feature_list_sparse_types: list({float, int64, string}) >= 0 = []; "
        "feature_list_ragged_value_types: list({float, int64, string}) >= 0 = "
        "[]; "
        "feature_list_ragged_split_types: list({int32, int64}) >= 0 = []; "
        "feature_list_dense_shapes: list(shape) >= 0 = []",
    .shape = SequenceShape<SequenceOp::kV2>,
    .doc =
        "ParseSequenceExample with ragged features, of a vector of messages or "
        "of one.",
};

}  // namespace millrace::ops
