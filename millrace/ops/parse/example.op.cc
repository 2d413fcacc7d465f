#include "millrace/ops/parse/example_attrs.op.h"

namespace millrace {
namespace {

// Sets the shapes of outputs one after the other.
class OutputShapes {
 public:
  explicit OutputShapes(ShapeContext& c) : c_(c) {}

  // `examples`: shape of the input; a list adds a dimension of rows.
  void Sparse(size_t n, const PartialShape& examples, int more) {
    const int64_t rank =
        examples.known_rank() ? examples.rank() + more : kUnknownDim;
    Repeat(n, PartialShape({kUnknownDim, rank}));
    Repeat(n, PartialShape({kUnknownDim}));
    Repeat(n, PartialShape({rank}));
  }
  void Dense(const std::vector<ops::DenseSpec>& specs,
             const PartialShape& prefix) {
    for (const ops::DenseSpec& spec : specs) {
      Next(prefix.known_rank() ? prefix.Concatenate(spec.shape)
                               : PartialShape());
    }
  }
  Status Ragged(size_t n, int64_t examples, bool has_rows) {
    MR_ASSIGN(const int64_t splits, ShapeContext::AddDims(examples, 1));
    Repeat(n, PartialShape({kUnknownDim}));
    Repeat(n, PartialShape({splits}));
    if (has_rows) Repeat(n, PartialShape({kUnknownDim}));
    return OkStatus();
  }
  void Repeat(size_t n, const PartialShape& shape) {
    for (size_t i = 0; i < n; ++i) Next(shape);
  }

 private:
  void Next(PartialShape shape) { c_.set_output(next_++, std::move(shape)); }

  ShapeContext& c_;
  int next_ = 0;
};

int64_t NumExamples(const PartialShape& examples) {
  return examples.known_rank() && examples.rank() == 1 ? examples.dim(0)
                                                       : kUnknownDim;
}

Status ExampleShape(ShapeContext& c) {
  MR_ASSIGN(const ops::FeatureSpecs specs,
            ops::ReadFeatureSpecs(c.op().name, c.attrs()));
  PartialShape examples;
  if (c.op().name == "ParseSingleExample") {
    MR_ASSIGN(examples, c.WithRank(0, 0));
  } else if (c.op().name == "ParseExample") {
    MR_ASSIGN(examples, c.WithRank(0, 1));
    MR_RETURN_IF_ERROR(c.WithRank(1, 1).status());
  } else {
    MR_ASSIGN(examples, c.WithRankAtMost(0, 1));
    MR_RETURN_IF_ERROR(c.WithRankAtMost(1, 1).status());
  }
  OutputShapes out(c);
  out.Sparse(specs.sparse.size(), examples, 1);
  out.Dense(specs.dense, examples);
  return out.Ragged(specs.ragged.size(), NumExamples(examples), false);
}

Status SequenceShape(ShapeContext& c) {
  MR_ASSIGN(const ops::SequenceSpecs specs,
            ops::ReadSequenceSpecs(c.op().name, c.attrs()));
  PartialShape examples;
  if (c.op().name == "ParseSequenceExample") {
    MR_ASSIGN(examples, c.WithRank(0, 1));
    MR_RETURN_IF_ERROR(c.WithRank(1, 1).status());
  } else {
    MR_ASSIGN(examples, c.WithRankAtMost(0, 1));
    MR_RETURN_IF_ERROR(c.WithRankAtMost(1, 1).status());
  }
  const int64_t n = NumExamples(examples);
  OutputShapes out(c);
  out.Sparse(specs.context.sparse.size(), examples, 1);
  out.Dense(specs.context.dense, examples);
  MR_RETURN_IF_ERROR(out.Ragged(specs.context.ragged.size(), n, false));
  out.Sparse(specs.lists.sparse.size(), examples, 2);
  out.Dense(specs.lists.dense,
            examples.known_rank()
                ? examples.Concatenate(PartialShape({kUnknownDim}))
                : PartialShape());
  out.Repeat(specs.lists.dense.size(), examples);
  return out.Ragged(specs.lists.ragged.size(), n, true);
}

Status SingleSequenceShape(ShapeContext& c) {
  MR_ASSIGN(const ops::SequenceSpecs specs,
            ops::ReadSequenceSpecs(c.op().name, c.attrs()));
  MR_ASSIGN(const PartialShape example, c.WithRank(0, 0));
  MR_RETURN_IF_ERROR(c.WithRank(1, 1).status());
  OutputShapes out(c);
  out.Sparse(specs.context.sparse.size(), example, 1);
  out.Dense(specs.context.dense, example);
  out.Sparse(specs.lists.sparse.size(), example, 2);
  out.Dense(specs.lists.dense, PartialShape({kUnknownDim}));
  return OkStatus();
}

}  // namespace
}  // namespace millrace

namespace millrace::ops {

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
    .shape = ExampleShape,
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
    .shape = ExampleShape,
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
    .shape = ExampleShape,
    .doc = "Features of one serialized Example message.",
};

#define MR_SEQUENCE_TYPES                                               \
  "context_sparse_types: list({float, int64, string}) >= 0 = []; "      \
  "Tcontext_dense: list({float, int64, string}) >= 0 = []; "            \
  "feature_list_dense_types: list({float, int64, string}) >= 0 = []; "  \
  "context_dense_shapes: list(shape) >= 0 = []; "                       \
  "feature_list_sparse_types: list({float, int64, string}) >= 0 = []; " \
  "feature_list_dense_shapes: list(shape) >= 0 = []"

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
    .shape = SequenceShape,
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
    .shape = SequenceShape,
    .doc =
        "ParseSequenceExample with ragged features, of a vector of messages or "
        "of one.",
};

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
