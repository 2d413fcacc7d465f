// Returns the table of all CPU kernel declarations, which the build writes.
#pragma once

#include "absl/types/span.h"
#include "millrace/kernel/kernel_decl.h"

namespace millrace {

absl::Span<const KernelDecl* const> AllCpuKernels();

}  // namespace millrace
