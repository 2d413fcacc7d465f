#include "tests/gpu/standin/prelude_text.h"

// The build gives the paths of both files.
asm(".section .rodata\n"
    "millrace_standin_prelude:\n"
    ".incbin \"" MILLRACE_STANDIN_ABI
    "\"\n"
    ".incbin \"" MILLRACE_STANDIN_PRELUDE
    "\"\n"
    "millrace_standin_prelude_end:\n"
    ".byte 0\n"
    ".text\n");

extern "C" {
extern const char millrace_standin_prelude[];
extern const char millrace_standin_prelude_end[];
}

namespace millrace::cuda::standin {

std::string_view PreludeText() {
  return {millrace_standin_prelude,
          static_cast<size_t>(millrace_standin_prelude_end -
                              millrace_standin_prelude)};
}

}  // namespace millrace::cuda::standin
