#include "millrace/base/check.h"

#include <execinfo.h>
#include <unistd.h>

#include <cstdlib>

#include "absl/debugging/symbolize.h"
#include "millrace/base/sim/sim_hooks.h"

namespace millrace::internal {

void Die(const char* file, int line, const char* condition,
         absl::string_view message) {
  std::string text =
      absl::StrCat("F ", file, ":", line, "] Check failed: ", condition,
                   message.empty() ? "" : " ", message, "\n");
  if (InSim()) {
    absl::StrAppend(&text, "  in a simulation with seed ", SimSeed(),
                    " at virtual nanosecond ", SimNow(), "\n");
  }
  void* frames[64];
  const int depth = backtrace(frames, 64);
  for (int i = 1; i < depth; ++i) {
    char name[512];
    // The address after a call may belong to the next function.
    const bool known =
        absl::Symbolize(static_cast<char*>(frames[i]) - 1, name, sizeof(name));
    absl::StrAppend(&text, "  @ 0x",
                    absl::Hex(reinterpret_cast<uintptr_t>(frames[i])), " ",
                    known ? name : "?", "\n");
  }
  // Nothing can be done about a failing stderr.
  [[maybe_unused]] ssize_t n = write(STDERR_FILENO, text.data(), text.size());
  abort();
}

}  // namespace millrace::internal
