#include "millrace/checkpoint/checkpoint_paths.h"

#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "millrace/base/random.h"

namespace millrace {
namespace {

bool IsShardSuffix(absl::string_view text) {
  return ConsumeShardSuffix(&text) && text.empty();
}

}  // namespace

std::string ShardedFilename(absl::string_view name, int shard, int num_shards) {
  return absl::StrFormat("%s-%05d-of-%05d", name, shard, num_shards);
}

std::string ShardedFilespec(absl::string_view name, int num_shards) {
  return absl::StrFormat("%s-\?\?\?\?\?-of-%05d", name, num_shards);
}

std::string IndexFilename(absl::string_view prefix) {
  return absl::StrCat(prefix, ".index");
}

std::string DataFilename(absl::string_view prefix, int shard, int num_shards) {
  return ShardedFilename(absl::StrCat(prefix, ".data"), shard, num_shards);
}

std::string MetaGraphFilename(absl::string_view prefix) {
  return absl::StrCat(prefix, ".meta");
}

bool ConsumeShardSuffix(absl::string_view* text) {
  const auto digits = [&] {
    size_t n = 0;
    while (n < text->size() && (*text)[n] >= '0' && (*text)[n] <= '9') ++n;
    text->remove_prefix(n);
    return n >= 5;
  };
  return absl::ConsumePrefix(text, "-") && digits() &&
         absl::ConsumePrefix(text, "-of-") && digits();
}

std::string TempFilename(absl::string_view path) {
  return absl::StrCat(path, kTempMark, RandomUint64());
}

StatusOr<std::vector<std::string>> CheckpointFiles(FileSystem* files,
                                                   const std::string& prefix) {
  std::vector<std::string> found;
  const std::string index = IndexFilename(prefix);
  const std::string directory(Dirname(prefix));
  const std::string listed = directory.empty()
                                 ? (absl::StartsWith(prefix, "/") ? "/" : ".")
                                 : directory;
  // Without an index it may be of format V1: one file, or shards of this name.
  // The search is by name and not by pattern, since the caller deletes the
  // result.
  const bool has_index = files->Exists(index).ok();
  if (has_index) found.push_back(index);
  auto names = files->GetChildren(listed);
  if (names.status().code() == StatusCode::kNotFound) return found;
  MR_RETURN_IF_ERROR(names.status());
  const std::string data = absl::StrCat(Basename(prefix), ".data");
  // The name of a sharded checkpoint has a pattern for the shard's number.
  absl::string_view v1 = Basename(prefix);
  v1 = v1.substr(0, v1.rfind("-\?\?\?\?\?-of-"));
  for (const std::string& name : *names) {
    absl::string_view rest = name, rest_v1 = name;
    const bool is_v1 = !has_index && absl::ConsumePrefix(&rest_v1, v1) &&
                       (rest_v1.empty() || IsShardSuffix(rest_v1));
    if (is_v1 || (absl::ConsumePrefix(&rest, data) && IsShardSuffix(rest))) {
      found.push_back(JoinPath(directory, name));
    }
  }
  if (files->Exists(MetaGraphFilename(prefix)).ok())
    found.push_back(MetaGraphFilename(prefix));
  return found;
}

bool CheckpointExists(FileSystem* files, const std::string& prefix) {
  if (files->Exists(IndexFilename(prefix)).ok()) return true;
  auto old = files->GetMatchingPaths(prefix);
  return old.ok() && !old->empty();
}

Status DeleteCheckpoint(FileSystem* files, const std::string& prefix) {
  MR_ASSIGN_OR_RETURN(const std::vector<std::string> paths,
                      CheckpointFiles(files, prefix));
  Status first;
  for (const std::string& path : paths) {
    Status status = files->Delete(path);
    if (status.code() != StatusCode::kNotFound) UpdateStatus(first, status);
  }
  return first;
}

}  // namespace millrace
