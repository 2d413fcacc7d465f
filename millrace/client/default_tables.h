// The ops and kernels with which this program was linked, as tables built once.
#pragma once

#include "millrace/graph/op_registry.h"
#include "millrace/kernel/kernel_decl.h"

namespace millrace {

// Built at the first call, never destroyed. Thread-safe. A declaration of the
// program that does not parse aborts it.
const OpRegistry& DefaultOps();
const KernelTable& DefaultKernels();

}  // namespace millrace
