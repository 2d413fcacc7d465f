// The folders in which the parts of a sharded save lie until they are joined.
//
// A save of PREFIX writes to PREFIX_temp_millrace_ID/part-SSSSS-of-NNNNN, and
// who joins the parts (MergeBundles) removes the folder. What a save that
// failed or died left there is of use to nobody. TensorFlow's savers, whose
// folders are PREFIX_temp_ID, leave it for ever.
#pragma once

#include <cstdint>
#include <string>

#include "millrace/base/files/file.h"
#include "millrace/base/status.h"

namespace millrace {

// "_temp_millrace_ID/part", which no other save ever had.
std::string FreshPartsSuffix();

// Removes a folder of parts, whoever made it. OK if there is none. Nothing is
// removed, FAILED_PRECONDITION, if it is a link or has what is no file of a
// part. A save that still writes there fails.
Status DeleteParts(FileSystem* files, const std::string& folder);

// Removes the folders that savers of Millrace made for checkpoints `path` and
// `path-STEP` and in which nothing changed in the `idle_nanos` before the last
// change of `written`: a file that was just written, so that one clock tells
// all times. What cannot be removed or asked for its age stays. Errors only if
// the age of `written` or the directory cannot be read.
Status DeleteAbandonedParts(FileSystem* files, const std::string& path,
                            const std::string& written, int64_t idle_nanos);

}  // namespace millrace
