// The names of a checkpoint's files.
//
// A checkpoint is identified by its prefix, "dir/model.ckpt-100". In format V2
// it consists of PREFIX.index, PREFIX.data-SSSSS-of-NNNNN and, written by
// clients, PREFIX.meta. In format V1 the prefix is the name of the file, or the
// pattern PREFIX-?????-of-NNNNN of its shards.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "millrace/base/files/file.h"
#include "millrace/base/status.h"

namespace millrace {

// Returns "NAME-00003-of-00010".
std::string ShardedFilename(absl::string_view name, int shard, int num_shards);
// Returns "NAME-?????-of-00010".
std::string ShardedFilespec(absl::string_view name, int num_shards);

std::string IndexFilename(absl::string_view prefix);
std::string DataFilename(absl::string_view prefix, int shard, int num_shards);
std::string MetaGraphFilename(absl::string_view prefix);
// Removes "-12345-of-67890", with at least five digits each, from the front of
// `text`. Returns false if it is not there.
bool ConsumeShardSuffix(absl::string_view* text);
// The name of a file that is being written is "PATH.tempstate123".
inline constexpr char kTempMark[] = ".tempstate";
std::string TempFilename(absl::string_view path);

// Returns the existing files of a checkpoint of either format, first the one
// without which there is no checkpoint. Empty if there is none.
StatusOr<std::vector<std::string>> CheckpointFiles(FileSystem* files,
                                                   const std::string& prefix);
// Returns whether the index (V2) or a data file (V1) exists.
bool CheckpointExists(FileSystem* files, const std::string& prefix);
// Removes the files, index first, so that no partial checkpoint is ever
// visible. OK if there is none.
Status DeleteCheckpoint(FileSystem* files, const std::string& prefix);

}  // namespace millrace
