#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/escaping.h"
#include "millrace/base/memory/checked_size.h"
#include "millrace/base/memory/memory_charge.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/parse/feature_columns.h"

namespace millrace::ops {
namespace {

// Of a message that cannot be parsed, in an error.
constexpr size_t kShownBytes = 200;

// The names by which stock's messages call lists.
absl::string_view ListName(DataType type) {
  switch (type) {
    case DataType::kString:
      return "bytes";
    case DataType::kFloat:
      return "float";
    default:
      return "int64";
  }
}

using Index = absl::flat_hash_map<absl::string_view, size_t>;

// Finds the features of one example, and counts their values.
class ExampleScanner {
 public:
  ExampleScanner(const std::vector<FeatureColumn>& columns, const Index& index)
      : columns_(columns), index_(index) {}
  virtual ~ExampleScanner() = default;

  // Fills a row of as many cells as there are columns.
  Status Scan(absl::string_view example, FeatureCell* row) const {
    Status first;
    const bool good =
        VisitFields(example, [&](uint32_t number, absl::string_view features) {
          return number != 1 ||
                 VisitMap(features, [&](absl::string_view key,
                                        absl::string_view feature) {
                   if (first.ok()) first = Take(key, feature, row);
                 });
        });
    if (!good) {
      return InvalidArgument("Could not parse example input, value: '",
                             absl::CEscape(example.substr(0, kShownBytes)),
                             "'");
    }
    MR_RETURN_IF_ERROR(first);
    for (size_t i = 0; i < columns_.size(); ++i) {
      MR_RETURN_IF_ERROR(Count(columns_[i], &row[i]));
    }
    return OkStatus();
  }

 protected:
  // An empty dense (or any single) feature leaves what was there before.
  virtual bool EmptyCounts(const FeatureColumn& column) const = 0;
  virtual Status Error(const FeatureColumn& column,
                       absl::string_view text) const = 0;
  virtual Status Malformed(const FeatureColumn& column) const = 0;
  virtual Status WrongCount(const FeatureColumn& column,
                            int64_t count) const = 0;
  virtual Status UnevenCount(const FeatureColumn& column,
                             int64_t count) const = 0;
  virtual Status Missing(const FeatureColumn& column) const = 0;

 private:
  Status Take(absl::string_view key, absl::string_view feature,
              FeatureCell* row) const {
    const auto found = index_.find(key);
    if (found == index_.end()) return OkStatus();
    FeatureView view;
    if (!ReadFeature(feature, &view)) {
      return InvalidArgument("Unsupported datatype.");
    }
    if (view.type == DataType::kInvalid &&
        !EmptyCounts(columns_[found->second])) {
      return OkStatus();
    }
    row[found->second].feature = view;
    return OkStatus();
  }

  Status Count(const FeatureColumn& column, FeatureCell* cell) const {
    const DataType type = cell->feature.type;
    const bool dense = column.form == FeatureForm::kDense;
    if (type == DataType::kInvalid) {
      if (!dense || column.dense->variable ||
          column.fallback->num_elements() > 0) {
        return OkStatus();
      }
      return Missing(column);
    }
    if (type != column.type) {
      return dense
                 ? Error(column, absl::StrCat(
                                     "Data types don't match. Data type: ",
                                     DataTypeName(type), " but expected type: ",
                                     DataTypeName(column.type)))
                 : Error(column,
                         absl::StrCat("Data types don't match. Expected "
                                      "type: ",
                                      DataTypeName(column.type),
                                      ", Actual type: ", DataTypeName(type)));
    }
    cell->count = CountValues(cell->feature);
    if (cell->count < 0) return Malformed(column);
    if (!dense) return OkStatus();
    const int64_t stride = column.dense->stride;
    if (!column.dense->variable) {
      if (cell->count != stride) return WrongCount(column, cell->count);
    } else if (stride == 0 ? cell->count != 0 : cell->count % stride != 0) {
      return UnevenCount(column, cell->count);
    }
    return OkStatus();
  }

  const std::vector<FeatureColumn>& columns_;
  const Index& index_;
};

// One of a batch.
class BatchScanner final : public ExampleScanner {
 public:
  BatchScanner(const std::vector<FeatureColumn>& columns, const Index& index,
               absl::string_view name, int64_t number)
      : ExampleScanner(columns, index), name_(name), number_(number) {}

 protected:
  bool EmptyCounts(const FeatureColumn& column) const override {
    return column.form != FeatureForm::kDense;
  }
  Status Error(const FeatureColumn& column,
               absl::string_view text) const override {
    return InvalidArgument("Name: ", name_, ", Key: ", column.key,
                           ", Index: ", number_, ".  ", text);
  }
  Status Malformed(const FeatureColumn& column) const override {
    return Error(column, "Can't parse serialized Example.");
  }
  Status WrongCount(const FeatureColumn& column, int64_t count) const override {
    return Error(
        column,
        absl::StrCat("Number of ", ListName(column.type),
                     " values != expected.  Values size: ", count,
                     " but output shape: ", column.dense->shape.DebugString()));
  }
  Status UnevenCount(const FeatureColumn& column,
                     int64_t count) const override {
    return Error(
        column, absl::StrCat("Number of ", ListName(column.type),
                             " values is not a multiple of stride length. Saw ",
                             count, " values but output shape is: ",
                             column.dense->shape.DebugString()));
  }
  Status Missing(const FeatureColumn& column) const override {
    return InvalidArgument("Name: ", name_, ", Feature: ", column.key,
                           " (data type: ", DataTypeName(column.type), ")",
                           " is required but could not be found.");
  }

 private:
  const absl::string_view name_;
  const int64_t number_;
};

class SingleScanner final : public ExampleScanner {
 public:
  using ExampleScanner::ExampleScanner;

 protected:
  bool EmptyCounts(const FeatureColumn&) const override { return false; }
  Status Error(const FeatureColumn& column,
               absl::string_view text) const override {
    return InvalidArgument("Key: ", column.key, ".  ", text);
  }
  Status Malformed(const FeatureColumn& column) const override {
    return Error(column,
                 absl::StrCat("Can't parse serialized Example: Parsing ",
                              ListName(column.type), "_list failed."));
  }
  Status WrongCount(const FeatureColumn& column, int64_t) const override {
    return Error(column, absl::StrCat("Can't parse serialized Example: Some ",
                                      ListName(column.type),
                                      "_list slice was not parsed."));
  }
  Status UnevenCount(const FeatureColumn& column,
                     int64_t count) const override {
    return InvalidArgument("Error while parsing feature with key ", column.key,
                           ": number of elements should be divisible by ",
                           column.dense->stride, ", found ", count, " instead");
  }
  Status Missing(const FeatureColumn& column) const override {
    return InvalidArgument("Feature: ", column.key,
                           " (data type: ", DataTypeName(column.type), ")",
                           " is required but could not be found.");
  }
};

class ParseExampleKernel {
 public:
  static StatusOr<std::unique_ptr<ParseExampleKernel>> Make(
      const KernelInit& init) {
    auto k = std::make_unique<ParseExampleKernel>();
    const std::string& op = init.node().op->name;
    k->is_v2_ = op == "ParseExampleV2";
    k->is_single_ = op == "ParseSingleExample";
    MR_ASSIGN(k->specs_, ReadFeatureSpecs(op, init.node().attrs));
    MR_ASSIGN(const ArgRange defaults, init.Input("dense_defaults"));
    k->first_default_ = defaults.begin;
    MR_ASSIGN(const ArgRange indices, init.Output("sparse_indices"));
    MR_ASSIGN(const ArgRange values, init.Output("sparse_values"));
    MR_ASSIGN(const ArgRange shapes, init.Output("sparse_shapes"));
    MR_ASSIGN(const ArgRange dense, init.Output("dense_values"));
    k->outputs_ = {.sparse_indices = indices.begin,
                   .sparse_values = values.begin,
                   .sparse_shapes = shapes.begin,
                   .dense_values = dense.begin};
    if (k->is_v2_) {
      MR_ASSIGN(const ArgRange ragged, init.Output("ragged_values"));
      MR_ASSIGN(const ArgRange splits, init.Output("ragged_row_splits"));
      k->outputs_.ragged_values = ragged.begin;
      k->outputs_.ragged_splits = splits.begin;
    }
    return k;
  }

  Status Run(KernelContext& ctx) const {
    MR_RETURN_IF_ERROR(CheckSerialized(ctx));
    MR_ASSIGN(std::vector<std::string> keys, Keys(ctx));
    std::vector<const Tensor*> defaults;
    for (size_t i = 0; i < specs_.dense.size(); ++i) {
      defaults.push_back(&ctx.input(first_default_ + static_cast<int>(i)));
      MR_RETURN_IF_ERROR(CheckDefault(i, *defaults[i]));
    }
    const std::vector<FeatureColumn> columns =
        ColumnsOf(specs_, std::move(keys), defaults.data());
    Index index;
    for (size_t i = 0; i < columns.size(); ++i) {
      if (!index.emplace(columns[i].key, i).second) {
        // Stock's code, though the caller is at fault.
        return Internal("Could not avoid collision. This should not happen.");
      }
    }
    const int64_t examples = ctx.input(0).num_elements();
    MemoryCharge charge;
    MR_ASSIGN(const int64_t bytes,
              (CheckedSize(examples) * static_cast<int64_t>(columns.size()) *
               sizeof(FeatureCell))
                  .Get("the memory of parsed examples"));
    MR_RETURN_IF_ERROR(charge.Set(bytes, "parsed examples"));
    std::vector<FeatureCell> cells(static_cast<size_t>(examples) *
                                   columns.size());
    MR_RETURN_IF_ERROR(ScanAll(ctx, columns, index, &cells));
    ColumnWriter writer(ctx, outputs_, examples, ctx.input(0).rank() == 1);
    for (size_t i = 0; i < columns.size(); ++i) {
      MR_RETURN_IF_ERROR(
          writer.Write(columns[i], [&](int64_t e) -> const FeatureCell& {
            return cells[static_cast<size_t>(e) * columns.size() + i];
          }));
    }
    return OkStatus();
  }

 private:
  Status CheckSerialized(KernelContext& ctx) const {
    const TensorShape& shape = ctx.input(0).shape();
    if (is_single_ && shape.rank() != 0) {
      return InvalidArgument("Expected serialized to be a scalar, got shape: ",
                             shape.DebugString());
    }
    if (is_v2_ && shape.rank() > 1) {
      return InvalidArgument(
          "Expected serialized to be a scalar or vector, got shape: ",
          shape.DebugString());
    }
    if (!is_single_ && !is_v2_ && shape.rank() != 1) {
      return InvalidArgument("Expected serialized to be a vector, got shape: ",
                             shape.DebugString());
    }
    if (is_single_) return OkStatus();
    const Tensor& names = ctx.input(1);
    if (names.num_elements() > 0 && !(names.shape() == shape)) {
      return InvalidArgument(
          "Expected names have the same shape as serialized: name.shape=",
          names.shape().DebugString(),
          ", serialized.shape=", shape.DebugString());
    }
    return OkStatus();
  }

  // Of the sparse, dense and ragged columns.
  StatusOr<std::vector<std::string>> Keys(KernelContext& ctx) const {
    std::vector<std::string> keys;
    if (is_single_) {
      keys = specs_.sparse_keys;
      keys.insert(keys.end(), specs_.dense_keys.begin(),
                  specs_.dense_keys.end());
      return keys;
    }
    if (!is_v2_) {
      for (int i = 2; i < first_default_; ++i) {
        if (ctx.input(i).num_elements() != 1) {
          return InvalidArgument("Expected keys to be scalars, got shape: ",
                                 ctx.input(i).shape().DebugString());
        }
        keys.push_back(ctx.input(i).flat<StringElement>()[0].str());
      }
      return keys;
    }
    const auto count = [&](int i) {
      return static_cast<size_t>(ctx.input(i).num_elements());
    };
    if (count(3) != specs_.dense.size()) {
      return InvalidArgument(
          "Expected len(dense_keys) == len(dense_types) but got: ", count(3),
          " vs. ", specs_.dense.size());
    }
    if (count(2) != specs_.sparse.size()) {
      return InvalidArgument(
          "Expected len(sparse_keys) == num_sparse but got: ", count(2),
          " vs. ", specs_.sparse.size());
    }
    if (count(4) != specs_.ragged.size()) {
      return InvalidArgument(
          "Expected len(ragged_keys) == len(ragged_value_types) but got: ",
          count(4), " vs. ", specs_.ragged.size());
    }
    for (int i = 2; i < 5; ++i) {
      for (const StringElement& key : ctx.input(i).flat<StringElement>()) {
        keys.push_back(key.str());
      }
    }
    return keys;
  }

  Status CheckDefault(size_t d, const Tensor& value) const {
    const DenseSpec& spec = specs_.dense[d];
    if (spec.variable) {
      if (value.num_elements() != 1) {
        return InvalidArgument(
            "dense_shape[", d,
            "] is a variable length shape: ", spec.shape.DebugString(),
            ", therefore def_value[", d,
            "] must contain a single element (the padding element).  But its "
            "shape is: ",
            value.shape().DebugString());
      }
    } else if (value.num_elements() > 0 &&
               !spec.shape.IsCompatibleWith(PartialShape(value.shape()))) {
      return InvalidArgument("def_value[", d,
                             "].shape() == ", value.shape().DebugString(),
                             " is not compatible with dense_shapes_[", d,
                             "] == ", spec.shape.DebugString());
    }
    return OkStatus();
  }

  Status ScanAll(KernelContext& ctx, const std::vector<FeatureColumn>& columns,
                 const Index& index, std::vector<FeatureCell>* cells) const {
    const auto serialized = ctx.input(0).flat<StringElement>();
    if (ctx.input(0).rank() == 0) {
      return SingleScanner(columns, index)
          .Scan(serialized[0].view(), cells->data());
    }
    const auto names = ctx.input(1).flat<StringElement>();
    std::vector<Status> failed(serialized.size());
    size_t bytes = 0;
    for (const StringElement& s : serialized) bytes += s.size();
    const auto examples = static_cast<int64_t>(serialized.size());
    const auto cost = static_cast<int64_t>(
        2 * bytes / std::max<size_t>(serialized.size(), 1) + 100);
    MR_RETURN_IF_ERROR(
        ctx.ParallelFor(examples, cost, [&](int64_t begin, int64_t end) {
          for (auto e = static_cast<size_t>(begin);
               e < static_cast<size_t>(end); ++e) {
            const absl::string_view name = names.empty()
                                               ? absl::string_view("<unknown>")
                                               : names[e].view();
            failed[e] =
                BatchScanner(columns, index, name, static_cast<int64_t>(e))
                    .Scan(serialized[e].view(),
                          cells->data() + e * columns.size());
          }
        }));
    for (Status& status : failed) {
      if (!status.ok()) return std::move(status);
    }
    return OkStatus();
  }

  bool is_v2_ = false, is_single_ = false;
  FeatureSpecs specs_;
  int first_default_ = 0;
  ColumnOutputs outputs_;
};

}  // namespace

MR_KERNELS(ParseExample, Cpu){{.make = MakeKernel<ParseExampleKernel>}};
MR_KERNELS(ParseExampleV2, Cpu){{.make = MakeKernel<ParseExampleKernel>}};
MR_KERNELS(ParseSingleExample, Cpu){{.make = MakeKernel<ParseExampleKernel>}};

}  // namespace millrace::ops
