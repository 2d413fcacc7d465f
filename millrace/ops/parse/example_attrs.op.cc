#include "millrace/ops/parse/example_attrs.op.h"

#include "millrace/base/checked_size.h"

namespace millrace::ops {
namespace {

using Types = AttrValue::TypeList;
using Shapes = AttrValue::ShapeList;
using Strings = AttrValue::StringList;

Status CheckLengths(size_t a, size_t b, absl::string_view what,
                    absl::string_view other) {
  if (a == b) return OkStatus();
  return InvalidArgument("len(", what, ") != len(", other, ")");
}

// Shapes whose first size may be unknown.
Status SetVariableShapes(const Shapes& shapes, std::vector<DenseSpec>* dense) {
  for (size_t i = 0; i < shapes.size(); ++i) {
    const PartialShape& shape = shapes[i];
    bool fits = shape.known_rank();
    CheckedSize stride = 1;
    for (int d = 0; fits && d < shape.rank(); ++d) {
      if (shape.dim(d) == kUnknownDim) {
        fits = d == 0;
      } else {
        stride *= shape.dim(d);
      }
    }
    if (!fits) {
      return InvalidArgument("dense_shapes[", i,
                             "] has unknown rank or unknown inner dimensions: ",
                             shape.DebugString());
    }
    DenseSpec spec;
    spec.shape = shape;
    spec.variable = shape.rank() > 0 && shape.dim(0) == kUnknownDim;
    MR_ASSIGN(spec.stride, stride.Get("a dense shape"));
    dense->push_back(std::move(spec));
  }
  return OkStatus();
}

Status SetFixedShapes(const Shapes& shapes, absl::string_view attr,
                      std::vector<DenseSpec>* dense) {
  for (const PartialShape& shape : shapes) {
    if (!shape.IsFullyDefined()) {
      return InvalidArgument("Attr ", attr, " has a shape that is not fully ",
                             "defined: ", shape.DebugString());
    }
    DenseSpec spec;
    spec.shape = shape;
    MR_ASSIGN(const TensorShape full, shape.AsTensorShape());
    spec.stride = full.num_elements();
    dense->push_back(std::move(spec));
  }
  return OkStatus();
}

void SetTypes(const Types& types, std::vector<DenseSpec>* dense) {
  for (size_t i = 0; i < types.size() && i < dense->size(); ++i) {
    (*dense)[i].type = types[i];
  }
}

}  // namespace

StatusOr<FeatureSpecs> ReadFeatureSpecs(const std::string& op,
                                        const AttrMap& attrs) {
  FeatureSpecs specs;
  MR_ASSIGN(specs.sparse, GetAttr<Types>(attrs, "sparse_types"));
  MR_ASSIGN(const Types dense, GetAttr<Types>(attrs, "Tdense"));
  MR_ASSIGN(const Shapes shapes, GetAttr<Shapes>(attrs, "dense_shapes"));
  size_t num_sparse = 0, num_dense = 0;
  if (op == "ParseSingleExample") {
    MR_ASSIGN(specs.sparse_keys, GetAttr<Strings>(attrs, "sparse_keys"));
    MR_ASSIGN(specs.dense_keys, GetAttr<Strings>(attrs, "dense_keys"));
    MR_ASSIGN(const int64_t n, GetAttr<int64_t>(attrs, "num_sparse"));
    num_sparse = specs.sparse_keys.size();
    num_dense = specs.dense_keys.size();
    if (static_cast<size_t>(n) != num_sparse ||
        static_cast<size_t>(n) != specs.sparse.size()) {
      return InvalidArgument(
          "num_sparse (", n, ") must match the size of sparse_keys (",
          num_sparse, ") and sparse_types (", specs.sparse.size(), ")");
    }
  } else if (op == "ParseExample") {
    MR_ASSIGN(const int64_t sparse_count, GetAttr<int64_t>(attrs, "Nsparse"));
    MR_ASSIGN(const int64_t dense_count, GetAttr<int64_t>(attrs, "Ndense"));
    num_sparse = static_cast<size_t>(sparse_count);
    num_dense = static_cast<size_t>(dense_count);
  } else {
    MR_ASSIGN(const int64_t n, GetAttr<int64_t>(attrs, "num_sparse"));
    MR_ASSIGN(specs.ragged, GetAttr<Types>(attrs, "ragged_value_types"));
    MR_ASSIGN(specs.splits, GetAttr<Types>(attrs, "ragged_split_types"));
    num_sparse = static_cast<size_t>(n);
    num_dense = dense.size();
  }
  MR_RETURN_IF_ERROR(SetVariableShapes(shapes, &specs.dense));
  MR_RETURN_IF_ERROR(CheckLengths(num_sparse, specs.sparse.size(),
                                  "sparse_keys", "sparse_types"));
  MR_RETURN_IF_ERROR(
      CheckLengths(num_dense, dense.size(), "dense_keys", "dense_types"));
  MR_RETURN_IF_ERROR(
      CheckLengths(num_dense, shapes.size(), "dense_keys", "dense_shapes"));
  MR_RETURN_IF_ERROR(CheckLengths(specs.ragged.size(), specs.splits.size(),
                                  "ragged_keys", "ragged_split_types"));
  SetTypes(dense, &specs.dense);
  return specs;
}

StatusOr<SequenceSpecs> ReadSequenceSpecs(const std::string& op,
                                          const AttrMap& attrs) {
  SequenceSpecs specs;
  MR_ASSIGN(specs.context.sparse,
            GetAttr<Types>(attrs, "context_sparse_types"));
  MR_ASSIGN(const Types context_dense, GetAttr<Types>(attrs, "Tcontext_dense"));
  MR_ASSIGN(const Shapes context_shapes,
            GetAttr<Shapes>(attrs, "context_dense_shapes"));
  MR_ASSIGN(specs.lists.sparse,
            GetAttr<Types>(attrs, "feature_list_sparse_types"));
  MR_ASSIGN(const Types list_dense,
            GetAttr<Types>(attrs, "feature_list_dense_types"));
  MR_ASSIGN(const Shapes list_shapes,
            GetAttr<Shapes>(attrs, "feature_list_dense_shapes"));
  MR_ASSIGN(const int64_t context_sparse,
            GetAttr<int64_t>(attrs, "Ncontext_sparse"));
  MR_ASSIGN(const int64_t list_sparse,
            GetAttr<int64_t>(attrs, "Nfeature_list_sparse"));
  MR_ASSIGN(const int64_t list_dense_count,
            GetAttr<int64_t>(attrs, "Nfeature_list_dense"));
  auto context_dense_count = static_cast<int64_t>(context_dense.size());
  if (op == "ParseSequenceExampleV2") {
    MR_ASSIGN(specs.context.ragged,
              GetAttr<Types>(attrs, "context_ragged_value_types"));
    MR_ASSIGN(specs.context.splits,
              GetAttr<Types>(attrs, "context_ragged_split_types"));
    MR_ASSIGN(specs.lists.ragged,
              GetAttr<Types>(attrs, "feature_list_ragged_value_types"));
    MR_ASSIGN(specs.lists.splits,
              GetAttr<Types>(attrs, "feature_list_ragged_split_types"));
  } else {
    MR_ASSIGN(context_dense_count, GetAttr<int64_t>(attrs, "Ncontext_dense"));
  }
  if (op == "ParseSequenceExample") {
    MR_ASSIGN(
        specs.may_be_missing,
        GetAttr<Strings>(attrs, "feature_list_dense_missing_assumed_empty"));
    MR_ASSIGN(specs.context.sparse_keys,
              GetAttr<Strings>(attrs, "context_sparse_keys"));
    MR_ASSIGN(specs.context.dense_keys,
              GetAttr<Strings>(attrs, "context_dense_keys"));
    MR_ASSIGN(specs.lists.sparse_keys,
              GetAttr<Strings>(attrs, "feature_list_sparse_keys"));
    MR_ASSIGN(specs.lists.dense_keys,
              GetAttr<Strings>(attrs, "feature_list_dense_keys"));
    MR_RETURN_IF_ERROR(CheckLengths(
        specs.context.sparse_keys.size(), specs.context.sparse.size(),
        "context_sparse_keys", "context_sparse_types"));
    MR_RETURN_IF_ERROR(CheckLengths(specs.context.dense_keys.size(),
                                    context_dense.size(), "context_dense_keys",
                                    "context_dense_types"));
    MR_RETURN_IF_ERROR(
        CheckLengths(specs.lists.sparse_keys.size(), specs.lists.sparse.size(),
                     "feature_list_sparse_keys", "feature_list_sparse_types"));
    MR_RETURN_IF_ERROR(
        CheckLengths(specs.lists.dense_keys.size(), list_dense.size(),
                     "feature_list_dense_keys", "feature_list_dense_types"));
  }
  MR_RETURN_IF_ERROR(CheckLengths(
      static_cast<size_t>(context_sparse), specs.context.sparse.size(),
      "context_sparse_keys", "context_sparse_types"));
  MR_RETURN_IF_ERROR(CheckLengths(static_cast<size_t>(context_dense_count),
                                  context_dense.size(), "context_dense_keys",
                                  "context_dense_types"));
  MR_RETURN_IF_ERROR(CheckLengths(context_dense.size(), context_shapes.size(),
                                  "context_dense_keys",
                                  "context_dense_shapes"));
  MR_RETURN_IF_ERROR(
      CheckLengths(static_cast<size_t>(list_sparse), specs.lists.sparse.size(),
                   "feature_list_sparse_keys", "feature_list_sparse_types"));
  MR_RETURN_IF_ERROR(CheckLengths(static_cast<size_t>(list_dense_count),
                                  list_dense.size(), "feature_list_dense_keys",
                                  "feature_list_dense_types"));
  MR_RETURN_IF_ERROR(CheckLengths(list_dense.size(), list_shapes.size(),
                                  "feature_list_dense_keys",
                                  "feature_list_dense_shapes"));
  MR_RETURN_IF_ERROR(
      CheckLengths(specs.context.ragged.size(), specs.context.splits.size(),
                   "context_ragged_value_types", "context_ragged_split_types"));
  MR_RETURN_IF_ERROR(CheckLengths(
      specs.lists.ragged.size(), specs.lists.splits.size(),
      "feature_list_ragged_value_types", "feature_list_ragged_split_types"));
  MR_RETURN_IF_ERROR(SetFixedShapes(context_shapes, "context_dense_shapes",
                                    &specs.context.dense));
  MR_RETURN_IF_ERROR(SetFixedShapes(list_shapes, "feature_list_dense_shapes",
                                    &specs.lists.dense));
  SetTypes(context_dense, &specs.context.dense);
  SetTypes(list_dense, &specs.lists.dense);
  return specs;
}

}  // namespace millrace::ops
