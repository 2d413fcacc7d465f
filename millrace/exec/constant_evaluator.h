// The evaluator that folds constants: a kernel run outside of any step.
#pragma once

#include "millrace/graph/shape_refiner.h"
#include "millrace/kernel/device.h"
#include "millrace/kernel/kernel_decl.h"

namespace millrace {

// Runs a node's kernel of `kernels` on `device`, a CPU, and on the calling
// thread; both outlive the evaluator. Nothing where there is no kernel, it
// fails or takes longer than half a second, and for kernels that wait. Only for
// nodes that are pure (pass/pure_nodes.h): there is no rendezvous, no file
// system and no container. Thread-safe.
ConstantEvaluator MakeConstantEvaluator(const KernelTable* kernels,
                                        Device* device);

}  // namespace millrace
