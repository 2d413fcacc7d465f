// The evaluator of constant folding: runs a kernel outside any step.
#pragma once

#include "millrace/graph/shape_refiner.h"
#include "millrace/kernel/device.h"
#include "millrace/kernel/kernel_decl.h"

namespace millrace {

// Returns an evaluator that runs a node's kernel of `kernels` on `device`, a
// CPU, and on the calling thread; both must outlive the evaluator. It returns
// nullopt if there is no kernel, if the kernel fails or takes longer than half
// a second, and for kernels that wait. Only for pure nodes (pass/pure_nodes.h):
// there is no rendezvous, no file system and no container. Thread-safe.
ConstantEvaluator MakeConstantEvaluator(const KernelTable* kernels,
                                        Device* device);

}  // namespace millrace
