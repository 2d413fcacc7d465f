// Finds what columns ask for in one serialized Example.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "millrace/ops/parse/feature_columns.h"

namespace millrace::ops {

// The numbers of columns by their keys.
using FeatureIndex = absl::flat_hash_map<absl::string_view, size_t>;

// How errors call an example of a batch.
struct ExampleName {
  absl::string_view name;
  int64_t number = 0;
};

// Fills a row of as many cells as there are columns, from one example of a
// batch. INVALID_ARGUMENT for a malformed message, and for features that do not
// fit their columns or are missing.
Status ScanExample(const std::vector<FeatureColumn>& columns,
                   const FeatureIndex& index, const ExampleName& name,
                   absl::string_view example, FeatureCell* row);

// Fills a row from an example that is alone; its errors have other words.
Status ScanSingleExample(const std::vector<FeatureColumn>& columns,
                         const FeatureIndex& index, absl::string_view example,
                         FeatureCell* row);

}  // namespace millrace::ops
