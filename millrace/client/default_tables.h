// The ops and kernels that this program was linked with, as values built once.
#pragma once

#include "millrace/graph/op_registry.h"
#include "millrace/kernel/kernel_decl.h"

namespace millrace {

// Built at the first call, never destroyed. Thread-safe. Declarations of the
// program that do not parse abort it.
const OpRegistry& DefaultOps();
const KernelTable& DefaultKernels();

}  // namespace millrace
