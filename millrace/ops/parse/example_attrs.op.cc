#include "millrace/ops/parse/example_attrs.op.h"

#include "absl/strings/str_cat.h"
#include "millrace/base/memory/checked_size.h"

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

// Sets shapes whose first size may be unknown.
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
    MR_ASSIGN_OR_RETURN(spec.stride, stride.Get("a dense shape"));
    dense->push_back(std::move(spec));
  }
  return OkStatus();
}

Status SetFixedShapes(const Shapes& shapes, absl::string_view attr,
                      std::vector<DenseSpec>* dense) {
  for (const PartialShape& shape : shapes) {
    if (!shape.IsFullyDefined()) {
      return InvalidArgument("Shape ", shape.DebugString(),
                             " is not fully defined, in attr ", attr);
    }
    DenseSpec spec;
    spec.shape = shape;
    MR_ASSIGN_OR_RETURN(const TensorShape full, shape.AsTensorShape());
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

StatusOr<FeatureSpecs> ReadFeatureSpecs(ExampleOp op, const AttrMap& attrs) {
  FeatureSpecs specs;
  MR_ASSIGN_OR_RETURN(specs.sparse, GetAttr<Types>(attrs, "sparse_types"));
  MR_ASSIGN_OR_RETURN(const Types dense, GetAttr<Types>(attrs, "Tdense"));
  MR_ASSIGN_OR_RETURN(const Shapes shapes,
                      GetAttr<Shapes>(attrs, "dense_shapes"));
  size_t num_sparse = 0, num_dense = 0;
  if (op == ExampleOp::kSingle) {
    MR_ASSIGN_OR_RETURN(specs.sparse_keys,
                        GetAttr<Strings>(attrs, "sparse_keys"));
    MR_ASSIGN_OR_RETURN(specs.dense_keys,
                        GetAttr<Strings>(attrs, "dense_keys"));
    MR_ASSIGN_OR_RETURN(const int64_t n, GetAttr<int64_t>(attrs, "num_sparse"));
    num_sparse = specs.sparse_keys.size();
    num_dense = specs.dense_keys.size();
    if (static_cast<size_t>(n) != num_sparse ||
        static_cast<size_t>(n) != specs.sparse.size()) {
      return InvalidArgument(
          "num_sparse (", n, ") must match the size of sparse_keys (",
          num_sparse, ") and sparse_types (", specs.sparse.size(), ")");
    }
  } else if (op == ExampleOp::kBatch) {
    MR_ASSIGN_OR_RETURN(const int64_t sparse_count,
                        GetAttr<int64_t>(attrs, "Nsparse"));
    MR_ASSIGN_OR_RETURN(const int64_t dense_count,
                        GetAttr<int64_t>(attrs, "Ndense"));
    num_sparse = static_cast<size_t>(sparse_count);
    num_dense = static_cast<size_t>(dense_count);
  } else {
    MR_ASSIGN_OR_RETURN(const int64_t n, GetAttr<int64_t>(attrs, "num_sparse"));
    MR_ASSIGN_OR_RETURN(specs.ragged,
                        GetAttr<Types>(attrs, "ragged_value_types"));
    MR_ASSIGN_OR_RETURN(specs.splits,
                        GetAttr<Types>(attrs, "ragged_split_types"));
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

namespace {

// One of the two parts of a sequence example.
struct Part {
  absl::string_view name;         // prefix of its attributes' names
  absl::string_view dense_types;  // the attribute with another prefix
  FeatureSpecs* specs;
  Types dense;
  Shapes shapes;
  int64_t num_sparse = 0, num_dense = 0;

  std::string Attr(absl::string_view what) const {
    return absl::StrCat(name, "_", what);
  }
};

Status ReadPart(SequenceOp op, const AttrMap& attrs, Part* part) {
  const auto types = [&](absl::string_view what) {
    return GetAttr<Types>(attrs, part->Attr(what));
  };
  const auto keys = [&](absl::string_view what) {
    return GetAttr<Strings>(attrs, part->Attr(what));
  };
  FeatureSpecs& specs = *part->specs;
  MR_ASSIGN_OR_RETURN(specs.sparse, types("sparse_types"));
  MR_ASSIGN_OR_RETURN(part->dense, GetAttr<Types>(attrs, part->dense_types));
  MR_ASSIGN_OR_RETURN(part->shapes,
                      GetAttr<Shapes>(attrs, part->Attr("dense_shapes")));
  const std::string count = absl::StrCat("N", part->name);
  MR_ASSIGN_OR_RETURN(part->num_sparse,
                      GetAttr<int64_t>(attrs, absl::StrCat(count, "_sparse")));
  part->num_dense = static_cast<int64_t>(part->dense.size());
  if (attrs.Find(absl::StrCat(count, "_dense")) != nullptr) {
    MR_ASSIGN_OR_RETURN(part->num_dense,
                        GetAttr<int64_t>(attrs, absl::StrCat(count, "_dense")));
  }
  if (op == SequenceOp::kV2) {
    MR_ASSIGN_OR_RETURN(specs.ragged, types("ragged_value_types"));
    MR_ASSIGN_OR_RETURN(specs.splits, types("ragged_split_types"));
  }
  if (op == SequenceOp::kBatch) {
    MR_ASSIGN_OR_RETURN(specs.sparse_keys, keys("sparse_keys"));
    MR_ASSIGN_OR_RETURN(specs.dense_keys, keys("dense_keys"));
  }
  return OkStatus();
}

// Requires a number of features to be the length of one list, or of two.
Status CheckNumber(const Part& part, absl::string_view kind, int64_t number,
                   absl::string_view list, size_t length) {
  if (number == static_cast<int64_t>(length)) return OkStatus();
  return InvalidArgument("num_", part.Attr(kind), " (", number,
                         ") must match the size of ", part.Attr(list), " (",
                         length, ")");
}
Status CheckNumber(const Part& part, absl::string_view kind, int64_t number,
                   absl::string_view first, size_t first_length,
                   absl::string_view second, size_t second_length) {
  if (number == static_cast<int64_t>(first_length) &&
      number == static_cast<int64_t>(second_length)) {
    return OkStatus();
  }
  return InvalidArgument("num_", part.Attr(kind), " (", number,
                         ") must match the size of ", part.Attr(first), " (",
                         first_length, ") and ", part.Attr(second), " (",
                         second_length, ")");
}

// Requires as many features as there are keys among the attributes.
Status CheckKeys(const Part& part) {
  MR_RETURN_IF_ERROR(CheckNumber(part, "sparse", part.num_sparse, "sparse_keys",
                                 part.specs->sparse_keys.size()));
  return CheckNumber(part, "dense", part.num_dense, "dense_keys",
                     part.specs->dense_keys.size());
}

// Requires as many features as there are types and shapes.
Status CheckCounts(SequenceOp op, const Part& part) {
  if (op != SequenceOp::kSingle) {
    MR_RETURN_IF_ERROR(CheckNumber(part, "sparse", part.num_sparse,
                                   "sparse_types", part.specs->sparse.size()));
    return CheckNumber(part, "dense", part.num_dense, "dense_types",
                       part.dense.size(), "dense_shapes", part.shapes.size());
  }
  MR_RETURN_IF_ERROR(CheckLengths(
      static_cast<size_t>(part.num_sparse), part.specs->sparse.size(),
      part.Attr("sparse_keys"), part.Attr("sparse_types")));
  MR_RETURN_IF_ERROR(CheckLengths(static_cast<size_t>(part.num_dense),
                                  part.dense.size(), part.Attr("dense_keys"),
                                  part.Attr("dense_types")));
  return CheckLengths(part.dense.size(), part.shapes.size(),
                      part.Attr("dense_keys"), part.Attr("dense_shapes"));
}

}  // namespace

StatusOr<SequenceSpecs> ReadSequenceSpecs(SequenceOp op, const AttrMap& attrs) {
  SequenceSpecs specs;
  Part parts[] = {
      {"context", "Tcontext_dense", &specs.context, {}, {}},
      {"feature_list", "feature_list_dense_types", &specs.lists, {}, {}}};
  for (Part& part : parts) MR_RETURN_IF_ERROR(ReadPart(op, attrs, &part));
  if (op == SequenceOp::kBatch) {
    MR_ASSIGN_OR_RETURN(
        specs.may_be_missing,
        GetAttr<Strings>(attrs, "feature_list_dense_missing_assumed_empty"));
    for (const Part& part : parts) MR_RETURN_IF_ERROR(CheckKeys(part));
  }
  for (const Part& part : parts) MR_RETURN_IF_ERROR(CheckCounts(op, part));
  for (const Part& part : parts) {
    const size_t ragged = part.specs->ragged.size();
    MR_RETURN_IF_ERROR(CheckNumber(
        part, "ragged", static_cast<int64_t>(ragged), "ragged_value_types",
        ragged, "ragged_split_types", part.specs->splits.size()));
  }
  for (const Part& part : parts) {
    MR_RETURN_IF_ERROR(SetFixedShapes(part.shapes, part.Attr("dense_shapes"),
                                      &part.specs->dense));
    SetTypes(part.dense, &part.specs->dense);
  }
  return specs;
}

}  // namespace millrace::ops
