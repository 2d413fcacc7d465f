#include "tests/gpu/cases/differences.h"

#include "absl/strings/str_split.h"
#include "millrace/base/check.h"
#include "millrace/base/files/file.h"

namespace millrace::cases {
namespace {

bool Matches(absl::string_view pattern, absl::string_view text) {
  const size_t star = pattern.find('*');
  if (star == absl::string_view::npos) return pattern == text;
  if (text.substr(0, star) != pattern.substr(0, star)) return false;
  for (size_t i = star; i <= text.size(); ++i) {
    if (Matches(pattern.substr(star + 1), text.substr(i))) return true;
  }
  return false;
}

}  // namespace

bool Differences::Allows(const std::string& op, const std::string& name) const {
  for (const Row& row : rows_) {
    if (row.op == op && Matches(row.pattern, name)) return true;
  }
  return false;
}

Differences ReadDifferences(const std::string& path) {
  const auto text = ReadFileToString(DefaultFiles(), path);
  MR_CHECK(text.ok(), text.status().message());
  Differences differences;
  for (absl::string_view line : absl::StrSplit(*text, '\n')) {
    if (line.empty() || line[0] == '#') continue;
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(line, absl::MaxSplits(": ", 1));
    const std::pair<absl::string_view, absl::string_view> words =
        absl::StrSplit(parts.first, absl::MaxSplits(' ', 1));
    MR_CHECK(!parts.second.empty() && !words.second.empty(), line);
    differences.Add(std::string(words.first), std::string(words.second));
  }
  return differences;
}

}  // namespace millrace::cases
