// The folders that hold the parts of a sharded save until they are merged.
//
// A save of PREFIX writes to PREFIX_temp_millrace_ID/part-SSSSS-of-NNNNN, and
// merging the parts (MergeBundles) removes the folder. The parts of a save that
// failed or died are useless. TensorFlow's savers, whose folders are
// PREFIX_temp_ID, leave them forever.
#pragma once

#include <cstdint>
#include <string>

#include "millrace/base/files/file.h"
#include "millrace/base/status.h"

namespace millrace {

// Returns "_temp_millrace_ID/part", unique to this save.
std::string FreshPartsSuffix();

// Removes a folder of parts, whoever created it. OK if there is none. Returns
// FAILED_PRECONDITION, and removes nothing, if it is a link or contains
// anything other than files of parts. A save that still writes there fails.
Status DeleteParts(FileSystem* files, const std::string& folder);

// Removes the folders that savers of Millrace created for checkpoints `path`
// and `path-STEP` and in which nothing changed in the `idle_nanos` before the
// last change of `written`, a file that was just written, so that all times are
// by one clock. Folders that cannot be removed, or whose age is unknown, stay.
// Fails only if the age of `written` or the directory cannot be read.
Status DeleteAbandonedParts(FileSystem* files, const std::string& path,
                            const std::string& written, int64_t idle_nanos);

}  // namespace millrace
