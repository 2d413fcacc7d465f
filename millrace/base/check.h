// MR_CHECK and MR_DCHECK abort the program when one of our own invariants is
// broken. Bad input, a user's graph and the network never lead here: they
// produce a Status.
#pragma once

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace millrace::internal {

// Writes the place, the condition, the message and a stack trace (inside a
// simulation also the seed) to stderr in one write, then aborts.
[[noreturn]] void Die(const char* file, int line, const char* condition,
                      absl::string_view message);

template <class... Args>
[[noreturn]] __attribute__((noinline, cold)) void DieWith(const char* file,
                                                          int line,
                                                          const char* condition,
                                                          const Args&... args) {
  if constexpr (sizeof...(args) == 0) {
    Die(file, line, condition, "");
  } else {
    Die(file, line, condition, absl::StrCat(args...));
  }
}

}  // namespace millrace::internal

// `MR_CHECK(cond)` or `MR_CHECK(cond, "message ", value, ...)` aborts if `cond`
// is false. The message is built by absl::StrCat, only on failure.
#define MR_CHECK(cond, ...)                                            \
  do {                                                                 \
    if (!(cond)) [[unlikely]]                                          \
      ::millrace::internal::DieWith(__FILE__, __LINE__,                \
                                    #cond __VA_OPT__(, ) __VA_ARGS__); \
  } while (0)

// Checks the same in builds with MILLRACE_DCHECK; in others the condition is
// compiled and never evaluated.
#ifdef MILLRACE_DCHECK
#define MR_DCHECK(cond, ...) MR_CHECK(cond __VA_OPT__(, ) __VA_ARGS__)
#else
#define MR_DCHECK(cond, ...)                              \
  do {                                                    \
    if (false) MR_CHECK(cond __VA_OPT__(, ) __VA_ARGS__); \
  } while (0)
#endif
