// Finds the known word nearest to a misspelt one, for "Did you mean ...?".
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace millrace {

// Returns the number of insertions, deletions, substitutions and swaps of
// neighbours that turn `a` into `b` (optimal string alignment); `limit` + 1 if
// there are more than `limit`.
int EditDistance(absl::string_view a, absl::string_view b, int limit);

// Returns the candidate nearest to `word`, ignoring case, the first of equals.
// Returns an empty string if no candidate is near (more than a third of the
// word differs).
absl::string_view NearestWord(absl::string_view word,
                              absl::Span<const absl::string_view> candidates);
std::string NearestWord(absl::string_view word,
                        absl::Span<const std::string> candidates);

}  // namespace millrace
