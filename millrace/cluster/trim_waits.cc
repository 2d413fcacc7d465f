#include "millrace/cluster/trim_waits.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace millrace {

std::vector<ServerWait> TrimWaits(std::vector<std::vector<ServerWait>> kinds,
                                  size_t max) {
  size_t total = 0;
  for (const auto& waits : kinds) total += waits.size();
  std::vector<size_t> shown(kinds.size(), 0);
  // Gives each kind one place in turn.
  size_t room = total <= max ? total : max - 1;
  while (room > 0) {
    for (size_t k = 0; k < kinds.size() && room > 0; ++k) {
      if (shown[k] == kinds[k].size()) continue;
      ++shown[k];
      --room;
    }
  }
  std::vector<ServerWait> result;
  int64_t longest_ms = 0;
  for (size_t k = 0; k < kinds.size(); ++k) {
    for (size_t i = 0; i < kinds[k].size(); ++i) {
      ServerWait& wait = kinds[k][i];
      if (i < shown[k]) {
        result.push_back(std::move(wait));
      } else {
        longest_ms = std::max(longest_ms, wait.waiting_ms);
      }
    }
  }
  if (total > max) {
    result.push_back({.kind = "more",
                      .text = absl::StrCat(total - result.size(),
                                           " waits that are not shown"),
                      .waiting_ms = longest_ms,
                      .step_id = 0});
  }
  return result;
}

}  // namespace millrace
