// Finds NVIDIA's libraries when the program runs. No build needs them, and the
// program works without any.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "millrace/base/status.h"

namespace millrace::cuda {

// A library that is loaded, and stays so until the process ends.
struct Library {
  void* handle = nullptr;
  std::string path;  // as the system names it

  // Returns null if the library has no such symbol.
  void* Symbol(const char* name) const;
};

// Opens the first library that is found under one of `names` ("libnvrtc.so.13",
// best first): in the folder MILLRACE_CUDA_LIBRARIES, where the system looks,
// in CUDA_HOME and CUDA_PATH, in /usr/local/cuda, and among Python's nvidia-*
// packages (those of VIRTUAL_ENV and CONDA_PREFIX, and those beside the Python
// package of Millrace). NOT_FOUND has the system's reason.
StatusOr<Library> OpenLibrary(absl::Span<const std::string> names);

// Logs, once in a process for each `name`, that a library is missing and what
// does not work without it.
void LogMissingLibrary(absl::string_view name, const Status& reason,
                       absl::string_view consequence);

}  // namespace millrace::cuda
