// UniqueNames: unique names for a graph's nodes and scopes, as TensorFlow makes
// them.
#pragma once

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"

namespace millrace {

// Not thread-safe. Names that differ only in case count as equal.
class UniqueNames {
 public:
  // Returns `name` if it is free, otherwise name_1, name_2, ...; marks the
  // result as taken.
  std::string Take(absl::string_view name);
  // Returns what Take would, and marks nothing.
  std::string Free(absl::string_view name) const;
  // Marks `name` as taken.
  void Mark(absl::string_view name);

 private:
  absl::flat_hash_map<std::string, int64_t>
      next_;  // by lower case; the next suffix
};

// Return whether a name consists of letters, digits and "._-/\\>"; node names
// begin with a letter, a digit or a dot, scope names below the root may begin
// with any of them.
bool IsValidNodeName(absl::string_view name);
bool IsValidScopeName(absl::string_view name);

}  // namespace millrace
