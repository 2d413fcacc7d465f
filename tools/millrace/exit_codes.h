// Exit codes of the command's parts when they cannot run.
#pragma once

#include <cstdio>
#include <string>

#include "millrace/base/status.h"

namespace millrace {

inline constexpr int kStartError = 1;
inline constexpr int kUsageError = 2;

// Prints "millrace PART: MESSAGE" to standard error, and returns `code`.
inline int Fail(const char* part, const Status& status, int code) {
  std::fprintf(stderr, "millrace %s: %s\n", part,
               std::string(status.message()).c_str());
  return code;
}

}  // namespace millrace
