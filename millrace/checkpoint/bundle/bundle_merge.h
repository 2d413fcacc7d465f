// MergeBundles: merges the parts of a sharded save into one checkpoint.
#pragma once

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "millrace/base/files/file.h"
#include "millrace/base/status.h"

namespace millrace {

struct MergeOptions {
  // Whether to remove the parts' directories, if nothing else is in them.
  bool delete_old_dirs = true;
  // Whether to skip prefixes without a checkpoint; at least one must have one.
  bool allow_missing = false;
};

// Renames the data files of the checkpoints `prefixes` to those of
// `destination`, in that order, writes its index and removes theirs. All must
// be on one file system. Returns INVALID_ARGUMENT if two parts have a tensor of
// the same name (slices of one tensor are merged) or if there is nothing to
// merge; NOT_FOUND for a part that is missing. A crash leaves no partial
// checkpoint `destination`, but maybe useless parts.
Status MergeBundles(FileSystem* files, absl::Span<const std::string> prefixes,
                    const std::string& destination, MergeOptions options = {});

}  // namespace millrace
