// Finds the features that columns ask for in one serialized Example.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "millrace/ops/parse/feature_columns.h"

namespace millrace::ops {

// The indices of columns by key.
using FeatureIndex = absl::flat_hash_map<absl::string_view, size_t>;

// Identifies an example of a batch in errors.
struct ExampleName {
  absl::string_view name;
  int64_t number = 0;
};

// Fills a row, which has a cell for each column, from one example of a batch.
// Returns INVALID_ARGUMENT for a malformed message, and for features that do
// not fit their columns or are missing.
Status ScanExample(const std::vector<FeatureColumn>& columns,
                   const FeatureIndex& index, const ExampleName& name,
                   absl::string_view example, FeatureCell* row);

// Fills a row from a single example; its errors are worded differently.
Status ScanSingleExample(const std::vector<FeatureColumn>& columns,
                         const FeatureIndex& index, absl::string_view example,
                         FeatureCell* row);

}  // namespace millrace::ops
