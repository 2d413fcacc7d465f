// UniqueNames: names of a graph's nodes and scopes, as TensorFlow gives them.
#pragma once

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"

namespace millrace {

// One thread at a time. Names that differ in case only count as equal.
class UniqueNames {
 public:
  // `name` if it is free, else name_1, name_2, ...; takes what it returns.
  std::string Take(absl::string_view name);
  // `name` is taken from now on.
  void Mark(absl::string_view name);

 private:
  absl::flat_hash_map<std::string, int64_t>
      next_;  // by lower case; next suffix
};

// Letters, digits and one of "._-/\\>"; node names begin with a letter, a digit
// or a dot, scope names below the root may begin with any of them.
bool IsValidNodeName(absl::string_view name);
bool IsValidScopeName(absl::string_view name);

}  // namespace millrace
