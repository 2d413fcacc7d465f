#include "millrace/client/unique_names.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace millrace {

std::string UniqueNames::Take(absl::string_view name) {
  std::string key = absl::AsciiStrToLower(name);
  const auto [it, is_new] = next_.try_emplace(key, 1);
  if (is_new) return std::string(name);
  int64_t suffix = it->second++;
  std::string candidate;
  do {
    candidate = absl::StrCat(key, "_", suffix++);
  } while (next_.contains(candidate));
  next_[candidate] = 1;
  return absl::StrCat(name, "_", suffix - 1);
}

std::string UniqueNames::Free(absl::string_view name) const {
  const std::string key = absl::AsciiStrToLower(name);
  const auto found = next_.find(key);
  if (found == next_.end()) return std::string(name);
  int64_t suffix = found->second;
  while (next_.contains(absl::StrCat(key, "_", suffix))) ++suffix;
  return absl::StrCat(name, "_", suffix);
}

void UniqueNames::Mark(absl::string_view name) {
  next_.try_emplace(absl::AsciiStrToLower(name), 1);
}

bool IsValidScopeName(absl::string_view name) {
  return std::all_of(name.begin(), name.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
           absl::string_view("_.\\-/>").find(c) != absl::string_view::npos;
  });
}

bool IsValidNodeName(absl::string_view name) {
  if (name.empty() || !IsValidScopeName(name)) return false;
  return absl::ascii_isalnum(static_cast<unsigned char>(name[0])) ||
         name[0] == '.';
}

}  // namespace millrace
