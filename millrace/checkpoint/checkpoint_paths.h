// The names of a checkpoint's files.
//
// A checkpoint is known by its prefix, "dir/model.ckpt-100". In format V2 it
// consists of PREFIX.index, PREFIX.data-SSSSS-of-NNNNN and, written by
// clients, PREFIX.meta. In format V1 the prefix is the name of the file, or
// the pattern PREFIX-?????-of-NNNNN of its shards.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "millrace/base/files/file.h"
#include "millrace/base/status.h"

namespace millrace {

// "NAME-00003-of-00010"
std::string ShardedFilename(absl::string_view name, int shard, int num_shards);
// "NAME-?????-of-00010"
std::string ShardedFilespec(absl::string_view name, int num_shards);

std::string IndexFilename(absl::string_view prefix);
std::string DataFilename(absl::string_view prefix, int shard, int num_shards);
std::string MetaGraphFilename(absl::string_view prefix);
// Takes "-12345-of-67890", five digits or more each, from the beginning.
bool ConsumeShardSuffix(absl::string_view* text);
// The name of a file that is being written: "PATH.tempstate123".
inline constexpr char kTempMark[] = ".tempstate";
std::string TempFilename(absl::string_view path);

// The existing files of a checkpoint of either format, the one first without
// which it is no checkpoint. Empty if there is none.
StatusOr<std::vector<std::string>> CheckpointFiles(FileSystem* files,
                                                   const std::string& prefix);
// True if the index (V2) or a data file (V1) is there.
bool CheckpointExists(FileSystem* files, const std::string& prefix);
// Removes the files, index first, so that no half checkpoint is ever seen. OK
// if there is none.
Status DeleteCheckpoint(FileSystem* files, const std::string& prefix);

}  // namespace millrace
