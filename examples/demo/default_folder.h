// Where a demo trains that is not told: in a folder that one user has alone.
#pragma once

#include <string>

#include "millrace/millrace.h"

namespace millrace::demo {

// millrace-demo-UID in $TMPDIR, or in /tmp, where anybody may make folders.
std::string DefaultFolder();
// Makes it for this user alone. FAILED_PRECONDITION unless it is a folder of
// this user's, no link, and nobody else may write there.
Status MakeDefaultFolder();

}  // namespace millrace::demo
