#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/parse/feature_columns.h"

namespace millrace::ops {
namespace {

// The part of a message that a column asks for: a Feature, or a FeatureList.
struct Part {
  absl::string_view bytes;
  bool present = false;
};

// The parts of all examples, by column.
using Parts = std::vector<std::vector<Part>>;

Status WrongType(absl::string_view name, absl::string_view what,
                 const FeatureColumn& column, absl::string_view where) {
  return InvalidArgument(
      "Name: ", name, ", ", what, ": ", column.key, where,
      ".  Data types don't match. Expected type: ", DataTypeName(column.type));
}

// Calls f(feature, its number of values) for each row of a FeatureList.
// INVALID_ARGUMENT where one has another type, or is malformed.
template <class F>
Status VisitRows(const FeatureColumn& column, absl::string_view name,
                 absl::string_view list, F f) {
  int64_t rows = 0;
  for (FieldCursor in(list); !in.done(); ++rows) {
    uint32_t tag = 0;
    absl::string_view feature;
    FeatureView view;
    if (!in.Next(&tag, &feature) || tag != BytesTag(1)) {
      return InvalidArgument("Error in sequence feature ", column.key,
                             " in example ", name);
    }
    int64_t count = 0;
    if (!feature.empty()) {
      const bool fits = ReadFeature(feature, &view) && view.type == column.type;
      count = fits ? CountValues(view) : -1;
    }
    if (count < 0) {
      return WrongType(name, "Feature list", column,
                       absl::StrCat(", Index: ", rows));
    }
    f(view, count);
  }
  return OkStatus();
}

class SequenceParser {
 public:
  SequenceParser(KernelContext& ctx, absl::Span<const StringElement> examples,
                 absl::Span<const StringElement> names, bool batched)
      : ctx_(ctx), examples_(examples), names_(names), batched_(batched) {}

  // Finds what the columns ask for.
  Status Find(const std::vector<FeatureColumn>& context,
              const std::vector<FeatureColumn>& lists) {
    Slots context_slots, list_slots;
    MR_RETURN_IF_ERROR(
        MakeSlots(context, "Context feature ", &context_slots, &context_));
    MR_RETURN_IF_ERROR(
        MakeSlots(lists, "Sequence feature ", &list_slots, &lists_));
    for (size_t e = 0; e < examples_.size(); ++e) {
      const bool good = VisitFields(
          examples_[e].view(), [&](uint32_t number, absl::string_view map) {
            if (number != 1 && number != 2) return true;
            const Slots& slots = number == 1 ? context_slots : list_slots;
            Parts& parts = number == 1 ? context_ : lists_;
            return VisitMap(
                map, [&](absl::string_view key, absl::string_view value) {
                  const auto [begin, end] = slots.equal_range(key);
                  for (auto it = begin; it != end; ++it) {
                    parts[it->second][e] = {value, true};
                  }
                });
          });
      if (!good) {
        return InvalidArgument("Invalid protocol message input, example id: ",
                               Name(e));
      }
    }
    return OkStatus();
  }

  Status WriteContext(const std::vector<FeatureColumn>& columns,
                      ColumnOutputs outputs) {
    ColumnWriter writer(ctx_, outputs, num_examples(), batched_);
    std::vector<FeatureCell> cells(examples_.size());
    for (size_t i = 0; i < columns.size(); ++i) {
      std::fill(cells.begin(), cells.end(), FeatureCell());
      MR_RETURN_IF_ERROR(CountContext(columns[i], context_[i], &cells));
      MR_RETURN_IF_ERROR(
          writer.Write(columns[i], [&](int64_t e) -> const FeatureCell& {
            return cells[static_cast<size_t>(e)];
          }));
      if (columns[i].form == FeatureForm::kRagged && !batched_) {
        // As in stock: a scalar that says nothing.
        ctx_.set_output(outputs.ragged_splits + columns[i].number,
                        Tensor::Zeros(columns[i].splits, TensorShape()));
      }
    }
    return OkStatus();
  }

  struct ListOutputs {
    ColumnOutputs columns;  // ragged_splits: the inner ones
    int dense_lengths = -1;
    int outer_splits = -1;
  };
  // `may_miss[i]`: dense list number i may be missing.
  Status WriteLists(const std::vector<FeatureColumn>& columns,
                    const ListOutputs& outputs,
                    const std::vector<bool>& may_miss) {
    for (size_t i = 0; i < columns.size(); ++i) {
      const FeatureColumn& column = columns[i];
      switch (column.form) {
        case FeatureForm::kSparse:
          MR_RETURN_IF_ERROR(WriteSparse(column, lists_[i], outputs.columns));
          break;
        case FeatureForm::kDense:
          MR_RETURN_IF_ERROR(
              WriteDense(column, lists_[i], outputs,
                         may_miss[static_cast<size_t>(column.number)]));
          break;
        default:
          MR_RETURN_IF_ERROR(WriteRagged(column, lists_[i], outputs));
      }
    }
    return OkStatus();
  }

 private:
  using Slots = std::multimap<absl::string_view, size_t>;

  int64_t num_examples() const {
    return static_cast<int64_t>(examples_.size());
  }
  absl::string_view Name(size_t e) const {
    return names_.empty() ? absl::string_view("<unknown>") : names_[e].view();
  }

  Status MakeSlots(const std::vector<FeatureColumn>& columns,
                   absl::string_view what, Slots* slots, Parts* parts) {
    absl::flat_hash_map<absl::string_view, FeatureForm> forms;
    for (size_t i = 0; i < columns.size(); ++i) {
      const auto [it, is_new] = forms.emplace(columns[i].key, columns[i].form);
      if (!is_new && it->second != columns[i].form) {
        const bool has_dense = it->second == FeatureForm::kDense ||
                               columns[i].form == FeatureForm::kDense;
        return InvalidArgument(what, columns[i].key, " cannot be both ",
                               has_dense ? "dense" : "ragged", " and sparse");
      }
      slots->emplace(columns[i].key, i);
    }
    parts->assign(columns.size(), std::vector<Part>(examples_.size()));
    return OkStatus();
  }

  // ---- Context ----

  Status CountContext(const FeatureColumn& column,
                      const std::vector<Part>& parts,
                      std::vector<FeatureCell>* cells) const {
    const bool dense = column.form == FeatureForm::kDense;
    int64_t most = dense ? column.fallback->num_elements() : 0;
    for (size_t e = 0; e < parts.size(); ++e) {
      FeatureCell& cell = (*cells)[e];
      if (parts[e].bytes.empty()) continue;
      const bool fits = ReadFeature(parts[e].bytes, &cell.feature) &&
                        cell.feature.type == column.type;
      cell.count = fits ? CountValues(cell.feature) : -1;
      if (cell.count < 0) {
        return WrongType(Name(e), "Context feature", column, "");
      }
      most = std::max(most, cell.count);
    }
    if (!dense) return OkStatus();
    const int64_t wanted = column.dense->stride;
    if (most != wanted) {
      return InvalidArgument("Inconsistent max number of elements for feature ",
                             column.key, ": expected ", wanted, ", but found ",
                             most);
    }
    for (size_t e = 0; e < parts.size(); ++e) {
      if (!parts[e].present) {
        if (column.fallback->num_elements() == 0) {
          return InvalidArgument("Feature: ", column.key,
                                 " (data type: ", DataTypeName(column.type),
                                 ")", " is required but could not be found.");
        }
      } else if ((*cells)[e].count != wanted) {
        return InvalidArgument("Unexpected number of elements in example ",
                               Name(e));
      }
    }
    return OkStatus();
  }

  // ---- Lists ----

  // For each example in turn: f(e, row, feature, count).
  template <class F>
  Status VisitAll(const FeatureColumn& column, const std::vector<Part>& parts,
                  F f) const {
    for (size_t e = 0; e < parts.size(); ++e) {
      MR_RETURN_IF_ERROR(ctx_.CheckCancelled());
      int64_t row = 0;
      MR_RETURN_IF_ERROR(
          VisitRows(column, Name(e), parts[e].bytes,
                    [&](const FeatureView& feature, int64_t count) {
                      f(e, row++, feature, count);
                    }));
    }
    return OkStatus();
  }

  Status WriteSparse(const FeatureColumn& column,
                     const std::vector<Part>& parts,
                     const ColumnOutputs& outputs) {
    int64_t total = 0, most_rows = 0, most = 0;
    MR_RETURN_IF_ERROR(
        VisitAll(column, parts,
                 [&](size_t, int64_t row, const FeatureView&, int64_t count) {
                   total += count;
                   most = std::max(most, count);
                   most_rows = std::max(most_rows, row + 1);
                 }));
    const int64_t rank = batched_ ? 3 : 2;
    const int n = column.number;
    MR_ASSIGN(Tensor* const indices,
              ctx_.AllocateOutput(outputs.sparse_indices + n,
                                  TensorShape({total, rank})));
    MR_ASSIGN(
        Tensor* const values,
        ctx_.AllocateOutput(outputs.sparse_values + n, TensorShape({total})));
    MR_ASSIGN(
        Tensor* const shape,
        ctx_.AllocateOutput(outputs.sparse_shapes + n, TensorShape({rank})));
    auto size = shape->mutable_flat<int64_t>();
    if (batched_) size[0] = num_examples();
    size[static_cast<size_t>(rank - 2)] = most_rows;
    size[static_cast<size_t>(rank - 1)] = most;
    int64_t* place = indices->mutable_flat<int64_t>().data();
    char* const elements = values->mutable_data();
    int64_t at = 0;
    return VisitAll(
        column, parts,
        [&](size_t e, int64_t row, const FeatureView& feature, int64_t count) {
          for (int64_t i = 0; i < count; ++i) {
            if (batched_) *place++ = static_cast<int64_t>(e);
            *place++ = row;
            *place++ = i;
          }
          if (count > 0) CopyValues(feature, elements, at);
          at += count;
        });
  }

  Status WriteDense(const FeatureColumn& column, const std::vector<Part>& parts,
                    const ListOutputs& outputs, bool may_miss) {
    const int64_t width = column.dense->stride;
    const std::string row_shape = column.dense->shape.DebugString();
    int64_t most = 0, present = 0;
    std::vector<int64_t> rows(parts.size(), 0), totals(parts.size(), 0);
    Status wrong;
    MR_RETURN_IF_ERROR(VisitAll(
        column, parts,
        [&](size_t e, int64_t row, const FeatureView&, int64_t count) {
          rows[e] = row + 1;
          totals[e] += count;
          present = std::max(present, totals[e]);
          most = std::max(most, row + 1);
          if (count != width && wrong.ok()) {
            wrong = InvalidArgument(
                "Name: ", Name(e), ", Key: ", column.key, ", Index: ", row,
                ".  Number of values != expected.  values size: ", count,
                " but output shape: ", row_shape);
          }
        }));
    if (width == 0 ? present != 0 : present % width != 0) {
      return InvalidArgument(
          "Feature list '", column.key,
          "' has an unexpected number of values.  Total values size: ", present,
          " is not consistent with output shape: ",
          PartialShape({kUnknownDim})
              .Concatenate(column.dense->shape)
              .DebugString());
    }
    for (size_t e = 0; e < parts.size(); ++e) {
      if (parts[e].present || may_miss) continue;
      return InvalidArgument(
          "Name: ", Name(e), ", Feature list '", column.key,
          "' is required but could not be found.  Did you mean to include it "
          "in feature_list_dense_missing_assumed_empty or "
          "feature_list_dense_defaults?");
    }
    MR_RETURN_IF_ERROR(wrong);
    DimVector dims;
    if (batched_) dims.push_back(num_examples());
    dims.push_back(most);
    for (const int64_t d : column.dense->shape.dims()) dims.push_back(d);
    MR_ASSIGN(TensorShape shape, TensorShape::Make(dims));
    MR_ASSIGN(Tensor* const values,
              ctx_.AllocateOutput(outputs.columns.dense_values + column.number,
                                  std::move(shape)));
    MR_ASSIGN(Tensor* const lengths,
              ctx_.AllocateOutput(
                  outputs.dense_lengths + column.number,
                  batched_ ? TensorShape({num_examples()}) : TensorShape()));
    std::copy(rows.begin(), rows.end(),
              lengths->mutable_flat<int64_t>().begin());
    char* const elements = values->mutable_data();
    // Strings are empty already.
    if (column.type != DataType::kString && values->size_bytes() > 0) {
      std::memset(elements, 0, values->size_bytes());
    }
    return VisitAll(
        column, parts,
        [&](size_t e, int64_t row, const FeatureView& feature, int64_t count) {
          const int64_t at = (static_cast<int64_t>(e) * most + row) * width;
          if (count > 0) CopyValues(feature, elements, at);
        });
  }

  Status WriteRagged(const FeatureColumn& column,
                     const std::vector<Part>& parts,
                     const ListOutputs& outputs) {
    std::vector<int64_t> inner = {0}, outer(parts.size() + 1, 0);
    MR_RETURN_IF_ERROR(
        VisitAll(column, parts,
                 [&](size_t e, int64_t, const FeatureView&, int64_t count) {
                   inner.push_back(inner.back() + count);
                   ++outer[e + 1];
                 }));
    for (size_t e = 0; e < parts.size(); ++e) outer[e + 1] += outer[e];
    const int n = column.number;
    MR_ASSIGN(Tensor* const values,
              ctx_.AllocateOutput(outputs.columns.ragged_values + n,
                                  TensorShape({inner.back()})));
    MR_ASSIGN(
        Tensor* const inner_splits,
        ctx_.AllocateOutput(outputs.columns.ragged_splits + n,
                            TensorShape({static_cast<int64_t>(inner.size())})));
    MR_RETURN_IF_ERROR(SetSplits(inner, inner_splits));
    if (batched_) {
      MR_ASSIGN(Tensor* const outer_splits,
                ctx_.AllocateOutput(outputs.outer_splits + n,
                                    TensorShape({num_examples() + 1})));
      MR_RETURN_IF_ERROR(SetSplits(outer, outer_splits));
    } else {
      ctx_.set_output(outputs.outer_splits + n,
                      Tensor::Zeros(column.splits, TensorShape()));
    }
    char* const elements = values->mutable_data();
    int64_t at = 0;
    return VisitAll(
        column, parts,
        [&](size_t, int64_t, const FeatureView& feature, int64_t count) {
          if (count > 0) CopyValues(feature, elements, at);
          at += count;
        });
  }

  KernelContext& ctx_;
  const absl::Span<const StringElement> examples_, names_;
  const bool batched_;
  Parts context_, lists_;
};

class ParseSequenceKernel {
 public:
  static StatusOr<std::unique_ptr<ParseSequenceKernel>> Make(
      const KernelInit& init) {
    auto k = std::make_unique<ParseSequenceKernel>();
    const std::string& op = init.node().op->name;
    k->is_v2_ = op == "ParseSequenceExampleV2";
    MR_ASSIGN(k->specs_, ReadSequenceSpecs(op, init.node().attrs));
    MR_ASSIGN(const ArgRange defaults, init.Input("context_dense_defaults"));
    k->first_default_ = defaults.begin;
    MR_RETURN_IF_ERROR(FindOutputs(init, "context", &k->context_));
    MR_RETURN_IF_ERROR(FindOutputs(init, "feature_list", &k->lists_.columns));
    MR_ASSIGN(const ArgRange lengths,
              init.Output("feature_list_dense_lengths"));
    k->lists_.dense_lengths = lengths.begin;
    if (k->is_v2_) {
      MR_ASSIGN(const ArgRange context_values,
                init.Output("context_ragged_values"));
      MR_ASSIGN(const ArgRange context_splits,
                init.Output("context_ragged_row_splits"));
      MR_ASSIGN(const ArgRange values,
                init.Output("feature_list_ragged_values"));
      MR_ASSIGN(const ArgRange outer,
                init.Output("feature_list_ragged_outer_splits"));
      MR_ASSIGN(const ArgRange inner,
                init.Output("feature_list_ragged_inner_splits"));
      k->context_.ragged_values = context_values.begin;
      k->context_.ragged_splits = context_splits.begin;
      k->lists_.columns.ragged_values = values.begin;
      k->lists_.columns.ragged_splits = inner.begin;
      k->lists_.outer_splits = outer.begin;
    }
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& serialized = ctx.input(0);
    const Tensor& names = ctx.input(1);
    if (serialized.rank() > 1) {
      return InvalidArgument(
          "Expected serialized to be a scalar or vector, got shape: ",
          serialized.shape().DebugString());
    }
    if (is_v2_) MR_RETURN_IF_ERROR(CheckKeys(ctx));
    std::vector<const Tensor*> defaults;
    for (size_t d = 0; d < specs_.context.dense.size(); ++d) {
      defaults.push_back(&ctx.input(first_default_ + static_cast<int>(d)));
      const PartialShape shape(defaults[d]->shape());
      const PartialShape& wanted = specs_.context.dense[d].shape;
      if (defaults[d]->num_elements() > 0 && !(shape == wanted)) {
        return InvalidArgument(
            "default_value[", d, "].shape() == ", shape.DebugString(),
            " != context_dense_shapes[", d, "] == ", wanted.DebugString());
      }
    }
    if (names.num_elements() != 0 &&
        names.num_elements() != serialized.num_elements()) {
      return InvalidArgument(
          "example_names must be empty or have the correct number of elements");
    }
    const std::vector<FeatureColumn> context = ColumnsOf(
        specs_.context, Keys(ctx, specs_.context, 2), defaults.data());
    const std::vector<FeatureColumn> lists =
        ColumnsOf(specs_.lists, Keys(ctx, specs_.lists, 5), nullptr);
    SequenceParser parser(ctx, serialized.flat<StringElement>(),
                          names.flat<StringElement>(), serialized.rank() == 1);
    MR_RETURN_IF_ERROR(parser.Find(context, lists));
    MR_RETURN_IF_ERROR(parser.WriteContext(context, context_));
    return parser.WriteLists(lists, lists_, MayMiss(ctx, lists));
  }

 private:
  static Status FindOutputs(const KernelInit& init, absl::string_view part,
                            ColumnOutputs* out) {
    const auto find = [&](absl::string_view what) {
      return init.Output(absl::StrCat(part, what));
    };
    MR_ASSIGN(const ArgRange indices, find("_sparse_indices"));
    MR_ASSIGN(const ArgRange values, find("_sparse_values"));
    MR_ASSIGN(const ArgRange shapes, find("_sparse_shapes"));
    MR_ASSIGN(const ArgRange dense, find("_dense_values"));
    *out = {.sparse_indices = indices.begin,
            .sparse_values = values.begin,
            .sparse_shapes = shapes.begin,
            .dense_values = dense.begin};
    return OkStatus();
  }

  Status CheckKeys(KernelContext& ctx) const {
    const struct {
      int input;
      size_t count;
      const char* text;
    } checks[] = {
        {3, specs_.context.dense.size(),
         "context_dense_keys) to match len(Tcontext_dense)"},
        {2, specs_.context.sparse.size(),
         "context_sparse_keys) to match Ncontext_sparse"},
        {4, specs_.context.ragged.size(),
         "context_ragged_keys) to match len(context_ragged_value_types)"},
        {6, specs_.lists.dense.size(),
         "feature_list_dense_keys) to match Nfeature_list_dense"},
        {8, specs_.lists.dense.size(),
         "feature_list_dense_missing_assumed_empty to match "
         "Nfeature_list_dense"},
        {5, specs_.lists.sparse.size(),
         "feature_list_sparse_keys) to match Nfeature_list_sparse"},
        {7, specs_.lists.ragged.size(),
         "feature_list_ragged_keys) to match "
         "len(feature_list_ragged_value_types)"},
    };
    for (const auto& check : checks) {
      if (static_cast<size_t>(ctx.input(check.input).num_elements()) !=
          check.count) {
        return InvalidArgument("Expected len(", check.text);
      }
    }
    return OkStatus();
  }

  // Of sparse, dense and ragged columns; in the inputs from `first` on.
  std::vector<std::string> Keys(KernelContext& ctx, const FeatureSpecs& specs,
                                int first) const {
    std::vector<std::string> keys;
    if (!is_v2_) {
      keys = specs.sparse_keys;
      keys.insert(keys.end(), specs.dense_keys.begin(), specs.dense_keys.end());
      return keys;
    }
    for (int i = first; i < first + 3; ++i) {
      for (const StringElement& key : ctx.input(i).flat<StringElement>()) {
        keys.push_back(key.str());
      }
    }
    return keys;
  }

  std::vector<bool> MayMiss(KernelContext& ctx,
                            const std::vector<FeatureColumn>& lists) const {
    std::vector<bool> may_miss;
    for (const FeatureColumn& column : lists) {
      if (column.form != FeatureForm::kDense) continue;
      const auto& names = specs_.may_be_missing;
      may_miss.push_back(is_v2_ ? ctx.input(8).flat<bool>()[may_miss.size()]
                                : std::find(names.begin(), names.end(),
                                            column.key) != names.end());
    }
    return may_miss;
  }

  bool is_v2_ = false;
  SequenceSpecs specs_;
  int first_default_ = 0;
  ColumnOutputs context_;
  SequenceParser::ListOutputs lists_;
};

}  // namespace
}  // namespace millrace::ops

using namespace millrace;
using namespace millrace::ops;

MR_KERNELS(ParseSequenceExample,
           Cpu){{.make = MakeKernel<ParseSequenceKernel>}};
MR_KERNELS(ParseSequenceExampleV2,
           Cpu){{.make = MakeKernel<ParseSequenceKernel>}};
