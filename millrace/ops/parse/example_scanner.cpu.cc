#include "millrace/ops/parse/example_scanner.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace millrace::ops {
namespace {

// How many bytes of a message that cannot be parsed are shown in an error.
constexpr size_t kShownBytes = 200;

// Returns the name of a list in stock's messages.
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

// Finds the features of one example, and counts their values.
class ExampleScanner {
 public:
  ExampleScanner(const std::vector<FeatureColumn>& columns,
                 const FeatureIndex& index)
      : columns_(columns), index_(index) {}
  virtual ~ExampleScanner() = default;

  // Fills a row, which has a cell for each column.
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
  // Returns whether an empty feature counts. An empty dense feature (or any, in
  // a single example) does not replace what was there before.
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
      // As in stock, too many strings are not even read.
      if (type == DataType::kString && cell->count > stride)
        return Malformed(column);
      if (cell->count != stride) return WrongCount(column, cell->count);
    } else if (stride == 0 ? cell->count != 0 : cell->count % stride != 0) {
      return UnevenCount(column, cell->count);
    }
    return OkStatus();
  }

  const std::vector<FeatureColumn>& columns_;
  const FeatureIndex& index_;
};

// Scans one example of a batch.
class BatchScanner final : public ExampleScanner {
 public:
  BatchScanner(const std::vector<FeatureColumn>& columns,
               const FeatureIndex& index, const ExampleName& name)
      : ExampleScanner(columns, index),
        name_(name.name),
        number_(name.number) {}

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

}  // namespace

Status ScanExample(const std::vector<FeatureColumn>& columns,
                   const FeatureIndex& index, const ExampleName& name,
                   absl::string_view example, FeatureCell* row) {
  return BatchScanner(columns, index, name).Scan(example, row);
}

Status ScanSingleExample(const std::vector<FeatureColumn>& columns,
                         const FeatureIndex& index, absl::string_view example,
                         FeatureCell* row) {
  return SingleScanner(columns, index).Scan(example, row);
}

}  // namespace millrace::ops
