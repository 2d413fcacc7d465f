// "Did you mean ...?": the nearest known word to a misspelt one.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace millrace {

// Insertions, deletions, substitutions and swaps of neighbours that turn `a`
// into `b` (optimal string alignment); at most `limit` + 1 is returned.
int EditDistance(absl::string_view a, absl::string_view b, int limit);

// The candidate nearest to `word`, case ignored, the first of equals; empty if
// none is near (more than a third of the word differs).
absl::string_view NearestWord(absl::string_view word,
                              absl::Span<const absl::string_view> candidates);
std::string NearestWord(absl::string_view word,
                        absl::Span<const std::string> candidates);

}  // namespace millrace
