#include "millrace/checkpoint/bundle/bundle_merge.h"

#include <map>
#include <set>

#include "millrace/checkpoint/bundle/bundle_entry.h"
#include "millrace/checkpoint/bundle/bundle_index.h"
#include "millrace/checkpoint/bundle/bundle_reader.h"
#include "millrace/checkpoint/checkpoint_paths.h"

namespace millrace {
namespace {

struct Merged {
  std::map<std::string, BundleEntry> entries;
  std::vector<std::string> data_paths;  // of the parts, by new shard
};

Status MergeEntry(const std::string& key, BundleEntry entry,
                  const std::string& prefix, Merged* merged) {
  auto [it, added] = merged->entries.try_emplace(key);
  if (added) {
    it->second = std::move(entry);
    return OkStatus();
  }
  BundleEntry& there = it->second;
  const bool both_sliced = !entry.slices.empty() && !there.slices.empty();
  if (!both_sliced) {
    return InvalidArgument("Duplicate tensor keyed by ",
                           IsSliceKey(key) ? "(a slice)" : key,
                           " encountered, when merging prefix: ", prefix);
  }
  if (entry.dtype != there.dtype || !(entry.shape == there.shape)) {
    return InvalidArgument(
        "Slices of tensor ", key,
        " differ in dtype or full shape: ", DataTypeName(entry.dtype),
        entry.shape.DebugString(), " and ", DataTypeName(there.dtype),
        there.shape.DebugString(), ", when merging prefix: ", prefix);
  }
  there.slices.insert(there.slices.end(), entry.slices.begin(),
                      entry.slices.end());
  return OkStatus();
}

Status MergePart(FileSystem* files, const std::string& prefix, Merged* merged) {
  MR_ASSIGN_OR_RETURN(const std::unique_ptr<BundleReader> part,
                      BundleReader::Open(files, prefix));
  // Nothing is renamed before all parts are known to be complete.
  MR_RETURN_IF_ERROR(part->CheckComplete());
  const int first_shard = static_cast<int>(merged->data_paths.size());
  for (int shard = 0; shard < part->num_shards(); ++shard) {
    merged->data_paths.push_back(
        DataFilename(prefix, shard, part->num_shards()));
  }
  return part->ForEachRaw(
      [&](absl::string_view key, absl::string_view value) -> Status {
        MR_ASSIGN_OR_RETURN(BundleEntry entry,
                            ParseBundleEntry(value, part->num_shards()));
        entry.shard += first_shard;
        return MergeEntry(std::string(key), std::move(entry), prefix, merged);
      });
}

// Best effort: the checkpoint is complete without it.
void RemoveParts(FileSystem* files, absl::Span<const std::string> prefixes,
                 const std::string& destination, bool delete_dirs) {
  std::set<std::string> directories;
  for (const std::string& prefix : prefixes) {
    if (prefix != destination) (void)files->Delete(IndexFilename(prefix));
    directories.insert(DirectoryOf(prefix));
  }
  if (!delete_dirs) return;
  for (const std::string& directory : directories) {
    if (directory != DirectoryOf(destination))
      (void)files->DeleteDir(directory);
  }
}

}  // namespace

Status MergeBundles(FileSystem* files, absl::Span<const std::string> prefixes,
                    const std::string& destination, MergeOptions options) {
  Merged merged;
  for (const std::string& prefix : prefixes) {
    if (files->Exists(IndexFilename(prefix)).code() == StatusCode::kNotFound) {
      if (options.allow_missing) continue;
      return InvalidArgument("allow_missing_files was set to false and ",
                             prefix, " did not exist.");
    }
    MR_RETURN_IF_ERROR(Prefix(absl::StrCat("Merging ", prefix, ": "),
                              MergePart(files, prefix, &merged)));
  }
  if (merged.data_paths.empty()) {
    return InvalidArgument(
        "At least one prefix checkpoint file must exist, but none existed");
  }
  const int num_shards = static_cast<int>(merged.data_paths.size());
  if (num_shards > kMaxBundleShards) {
    return InvalidArgument("A checkpoint has at most ", kMaxBundleShards,
                           " shards, not ", num_shards);
  }

  MR_RETURN_IF_ERROR(CreateDirForGood(files, DirectoryOf(destination)));
  const std::string index_path = IndexFilename(destination);
  const std::string index_temp = TempFilename(index_path);
  std::map<std::string, std::string> encoded;
  for (const auto& [key, entry] : merged.entries)
    encoded.emplace(key, EncodeBundleEntry(entry));
  Status status = WriteBundleIndex(files, index_temp, num_shards, encoded);
  if (status.ok()) status = UnpublishBundle(files, index_path);
  for (int shard = 0; status.ok() && shard < num_shards; ++shard) {
    status = files->Rename(merged.data_paths[static_cast<size_t>(shard)],
                           DataFilename(destination, shard, num_shards));
  }
  if (status.ok()) status = PublishBundle(files, index_temp, index_path);
  if (!status.ok()) {
    (void)files->Delete(index_temp);
    return status;
  }
  RemoveParts(files, prefixes, destination, options.delete_old_dirs);
  return OkStatus();
}

}  // namespace millrace
