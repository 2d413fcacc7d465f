// Writes the index of a bundle, and makes index and data visible atomically.
#pragma once

#include <map>
#include <string>

#include "millrace/base/files/file.h"
#include "millrace/base/status.h"

namespace millrace {

// Writes header and `entries` (encoded, by key) to `path` and syncs it.
Status WriteBundleIndex(FileSystem* files, const std::string& path,
                        int num_shards,
                        const std::map<std::string, std::string>& entries);

// Durably removes the index of the old data files, before these are replaced.
// OK if there is none.
Status UnpublishBundle(FileSystem* files, const std::string& index_path);
// Syncs the new names of all data files, and then durably gives the index its
// name.
Status PublishBundle(FileSystem* files, const std::string& index_temp,
                     const std::string& index_path);

// Durably creates the directory and missing parents.
Status CreateDirForGood(FileSystem* files, const std::string& path);

// Returns Dirname, with "." and "/" where SyncDir and the like need a path.
std::string DirectoryOf(const std::string& path);

}  // namespace millrace
