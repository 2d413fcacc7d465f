// The table of all CPU kernel declarations, written by the build.
#pragma once

#include "absl/types/span.h"
#include "millrace/kernel/kernel_decl.h"

namespace millrace {

absl::Span<const KernelDecl* const> AllCpuKernels();

}  // namespace millrace
