// A record of the texts that are compiled, which tools/gpu/nvrtc_check.py
// compiles for other cards.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "millrace/device/cuda/launch.h"

namespace millrace::cuda {

// Appends a line, SOURCES ENTRY NAME=VALUE... separated by tabs, to the file
// that the variable MILLRACE_GPU_RECORD names, once in a process for each;
// without the variable nothing. Thread-safe.
void RecordModule(const std::string& sources, absl::string_view entry,
                  const std::vector<GpuDefine>& defines);

}  // namespace millrace::cuda
