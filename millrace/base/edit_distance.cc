#include "millrace/base/edit_distance.h"

#include <algorithm>
#include <cstdlib>

#include "absl/strings/ascii.h"

namespace millrace {
namespace {

template <class Word>
const Word* Nearest(absl::string_view word, absl::Span<const Word> candidates) {
  const std::string lower = absl::AsciiStrToLower(word);
  const Word* best = nullptr;
  int best_distance = static_cast<int>(word.size()) / 3 + 1;
  for (const Word& candidate : candidates) {
    const int distance = EditDistance(lower, absl::AsciiStrToLower(candidate),
                                      best_distance - 1);
    if (distance < best_distance) {
      best = &candidate;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace

int EditDistance(absl::string_view a, absl::string_view b, int limit) {
  const int n = static_cast<int>(a.size());
  const int m = static_cast<int>(b.size());
  if (limit < 0) return 0;
  if (std::abs(n - m) > limit) return limit + 1;
  // Three rows of the table: swaps refer to the last two.
  std::vector<int> before(m + 1), previous(m + 1), row(m + 1);
  for (int j = 0; j <= m; ++j) previous[j] = j;
  for (int i = 1; i <= n; ++i) {
    row[0] = i;
    int least = i;
    for (int j = 1; j <= m; ++j) {
      row[j] = std::min({previous[j] + 1, row[j - 1] + 1,
                         previous[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
      least = std::min(least, row[j]);
    }
    // A swap refers to the row before the previous one, but never gains more
    // than one.
    if (least > limit + 1) return limit + 1;
    before.swap(previous);
    previous.swap(row);
  }
  return std::min(previous[m], limit + 1);
}

absl::string_view NearestWord(absl::string_view word,
                              absl::Span<const absl::string_view> candidates) {
  const absl::string_view* best = Nearest(word, candidates);
  return best ? *best : absl::string_view();
}

std::string NearestWord(absl::string_view word,
                        absl::Span<const std::string> candidates) {
  const std::string* best = Nearest(word, candidates);
  return best ? *best : std::string();
}

}  // namespace millrace
