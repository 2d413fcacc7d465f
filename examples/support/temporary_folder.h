// A folder for what a program writes while it runs.
#pragma once

#include <string>

#include "millrace/millrace.h"

namespace millrace::examples {

// Makes a folder NAME.XXXXXX of its own in that of $TMPDIR, or in /tmp. Returns
// its path; whoever asks removes it.
StatusOr<std::string> MakeTemporaryFolder(absl::string_view name);

}  // namespace millrace::examples
