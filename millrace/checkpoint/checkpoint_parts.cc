#include "millrace/checkpoint/checkpoint_parts.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "millrace/base/log.h"
#include "millrace/base/random.h"
#include "millrace/checkpoint/bundle/bundle_index.h"
#include "millrace/checkpoint/checkpoint_paths.h"

namespace millrace {
namespace {

constexpr char kMark[] = "_temp_millrace_";
constexpr char kPart[] = "part";
constexpr size_t kIdDigits = 32;

size_t ConsumeDigits(absl::string_view* text) {
  size_t n = 0;
  while (n < text->size() && absl::ascii_isdigit((*text)[n])) ++n;
  text->remove_prefix(n);
  return n;
}

// Matches "part-00000-of-00002.index" and the like, also of unfinished files.
bool IsFileOfPart(absl::string_view name) {
  if (!absl::ConsumePrefix(&name, kPart) || !ConsumeShardSuffix(&name)) {
    return false;
  }
  const bool index = absl::ConsumePrefix(&name, ".index");
  if (!index &&
      !(absl::ConsumePrefix(&name, ".data") && ConsumeShardSuffix(&name))) {
    return false;
  }
  return name.empty() || (absl::ConsumePrefix(&name, kTempMark) &&
                          ConsumeDigits(&name) > 0 && name.empty());
}

// Matches "NAME_temp_millrace_ID" and "NAME-STEP_temp_millrace_ID".
bool IsFolderOf(absl::string_view name, absl::string_view folder) {
  if (!absl::ConsumePrefix(&folder, name)) return false;
  if (absl::ConsumePrefix(&folder, "-") && ConsumeDigits(&folder) == 0) {
    return false;
  }
  return absl::ConsumePrefix(&folder, kMark) && folder.size() == kIdDigits &&
         std::all_of(folder.begin(), folder.end(), absl::ascii_isxdigit);
}

// Returns the time of the last change to the folder or anything in it.
StatusOr<int64_t> LastChange(FileSystem* files, const std::string& folder) {
  MR_ASSIGN_OR_RETURN(int64_t last, files->GetModifiedNanos(folder));
  MR_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                      files->GetChildren(folder));
  for (const std::string& name : names) {
    MR_ASSIGN_OR_RETURN(const int64_t changed,
                        files->GetModifiedNanos(JoinPath(folder, name)));
    last = std::max(last, changed);
  }
  return last;
}

Status CheckNoLink(FileSystem* files, const std::string& folder) {
  MR_ASSIGN_OR_RETURN(const std::string place,
                      files->Canonical(DirectoryOf(folder)));
  MR_ASSIGN_OR_RETURN(const std::string real, files->Canonical(folder));
  if (real == JoinPath(place, Basename(folder))) return OkStatus();
  return FailedPrecondition(folder, " is a link and no folder of parts");
}

}  // namespace

std::string FreshPartsSuffix() {
  return absl::StrFormat("%s%016x%016x/%s", kMark, RandomUint64(),
                         RandomUint64(), kPart);
}

Status DeleteParts(FileSystem* files, const std::string& folder) {
  const auto names = files->GetChildren(folder);
  if (names.status().code() == StatusCode::kNotFound) return OkStatus();
  MR_RETURN_IF_ERROR(names.status());
  MR_RETURN_IF_ERROR(CheckNoLink(files, folder));
  for (const std::string& name : *names) {
    if (!IsFileOfPart(name)) {
      return FailedPrecondition(folder, " has ", name,
                                ", which is no part of a checkpoint");
    }
  }
  for (const std::string& name : *names) {
    const Status deleted = files->Delete(JoinPath(folder, name));
    if (deleted.code() != StatusCode::kNotFound) MR_RETURN_IF_ERROR(deleted);
  }
  const Status deleted = files->DeleteDir(folder);
  return deleted.code() == StatusCode::kNotFound ? OkStatus() : deleted;
}

Status DeleteAbandonedParts(FileSystem* files, const std::string& path,
                            const std::string& written, int64_t idle_nanos) {
  MR_ASSIGN_OR_RETURN(const int64_t now, files->GetModifiedNanos(written));
  const std::string directory = DirectoryOf(path);
  MR_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                      files->GetChildren(directory));
  for (const std::string& name : names) {
    if (!IsFolderOf(Basename(path), name)) continue;
    const std::string folder = JoinPath(directory, name);
    const StatusOr<int64_t> last = LastChange(files, folder);
    if (!last.ok() || now - *last < idle_nanos) continue;
    const Status deleted = DeleteParts(files, folder);
    if (deleted.ok()) {
      MR_LOG(Info) << "removed " << folder << ", the parts of a save that ended"
                   << " before they were joined";
    } else {
      MR_LOG(Warning) << "the parts of a save that ended before they were"
                      << " joined stay: " << deleted;
    }
  }
  return OkStatus();
}

}  // namespace millrace
