// Writing the index of a bundle, and making it and the data appear.
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

// Before data files are replaced: removes an index that spoke of the old ones,
// for good. OK if there is none.
Status UnpublishBundle(FileSystem* files, const std::string& index_path);
// After all data files got their names: makes sure that these stay, then gives
// the index its name, for good.
Status PublishBundle(FileSystem* files, const std::string& index_temp,
                     const std::string& index_path);

// Creates the directory and missing parents, for good.
Status CreateDirForGood(FileSystem* files, const std::string& path);

// Dirname, with "." and "/" where SyncDir and the like need a path.
std::string DirectoryOf(const std::string& path);

}  // namespace millrace
