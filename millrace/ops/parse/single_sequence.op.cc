#include "millrace/ops/parse/output_shapes.op.h"
#include "millrace/ops/parse/sequence_types.op.h"

namespace millrace::ops {
namespace {

Status SingleSequenceShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const SequenceSpecs specs,
                      ReadSequenceSpecs(SequenceOp::kSingle, c.attrs()));
  MR_ASSIGN_OR_RETURN(const PartialShape example, c.WithRank(0, 0));
  MR_RETURN_IF_ERROR(c.WithRank(1, 1).status());
  OutputShapes out(c);
  out.Sparse(specs.context.sparse.size(), example, 1);
  out.Dense(specs.context.dense, example);
  out.Sparse(specs.lists.sparse.size(), example, 2);
  out.Dense(specs.lists.dense, PartialShape({kUnknownDim}));
  return OkStatus();
}

}  // namespace

MR_OP(ParseSingleSequenceExample){
    .inputs =
        "serialized: string, feature_list_dense_missing_assumed_empty: string, "
        "context_sparse_keys: Ncontext_sparse * string, "
        "context_dense_keys: Ncontext_dense * string, "
        "feature_list_sparse_keys: Nfeature_list_sparse * string, "
        "feature_list_dense_keys: Nfeature_list_dense * string, "
        "context_dense_defaults: Tcontext_dense, debug_name: string",
    .outputs =
        "context_sparse_indices: Ncontext_sparse * int64, "
        "context_sparse_values: context_sparse_types, "
        "context_sparse_shapes: Ncontext_sparse * int64, "
        "context_dense_values: Tcontext_dense, "
        "feature_list_sparse_indices: Nfeature_list_sparse * int64, "
        "feature_list_sparse_values: feature_list_sparse_types, "
        "feature_list_sparse_shapes: Nfeature_list_sparse * int64, "
        "feature_list_dense_values: feature_list_dense_types",
    .attrs =
        "Ncontext_sparse: int >= 0 = 0; Ncontext_dense: int >= 0 = 0; "
        "Nfeature_list_sparse: int >= 0 = 0; "
        "Nfeature_list_dense: int >= 0 = 0; " MR_SEQUENCE_TYPES,
    .shape = SingleSequenceShape,
    .doc = "Features of one serialized SequenceExample message.",
};

}  // namespace millrace::ops
