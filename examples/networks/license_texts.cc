#include "examples/networks/license_texts.h"

#include <algorithm>
#include <filesystem>

#include "millrace/millrace.h"

namespace millrace::networks {
namespace {

constexpr char kFolder[] = "/usr/share/common-licenses";

}  // namespace

StatusOr<std::vector<std::string>> LoadLicenses(const std::string& folder) {
  const std::string from = folder.empty() ? kFolder : folder;
  MR_ASSIGN_OR_RETURN(std::vector<std::string> names,
                      PosixFiles()->GetChildren(from));
  std::sort(names.begin(), names.end());
  std::vector<std::string> texts;
  for (const std::string& name : names) {
    const std::string path = JoinPath(from, name);
    if (std::filesystem::is_symlink(path)) continue;  // told already
    MR_ASSIGN_OR_RETURN(std::string text, ReadFileToString(PosixFiles(), path));
    texts.push_back(std::move(text));
  }
  if (texts.empty()) return NotFound("there are no licenses in ", from);
  return texts;
}

}  // namespace millrace::networks
