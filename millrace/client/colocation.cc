#include "millrace/client/colocation.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace millrace {

std::vector<std::string> ColocationGroups(const Operation& op) {
  std::vector<std::string> groups;
  if (auto given = op.Attr<AttrValue::StringList>("_class"); given.ok()) {
    for (std::string& group : *given) {
      if (absl::StartsWith(group, "loc:@")) groups.push_back(std::move(group));
    }
  }
  if (groups.empty()) groups.push_back(absl::StrCat("loc:@", op.name()));
  return groups;
}

}  // namespace millrace
