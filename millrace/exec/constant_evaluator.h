// The evaluator of constant folding: runs a kernel outside any step.
#pragma once

#include <cstdint>
#include <optional>

#include "millrace/graph/shape_refiner.h"
#include "millrace/kernel/device.h"
#include "millrace/kernel/kernel_decl.h"

namespace millrace {

// The first step of a run waits for the evaluator.
inline constexpr int64_t kMaxEvaluationMillis = 500;

// Returns an evaluator that runs a node's kernel of `kernels` on `device`, a
// CPU, and on the calling thread; both must outlive the evaluator. It returns
// nullopt if there is no kernel, if the kernel fails or takes longer than
// `max_millis` (nullopt: no limit, and no thread is started to watch it), and
// for kernels that wait. Only for pure nodes (pass/pure_nodes.h): there is no
// rendezvous, no file system and no container. Thread-safe.
ConstantEvaluator MakeConstantEvaluator(
    const KernelTable* kernels, Device* device,
    std::optional<int64_t> max_millis = kMaxEvaluationMillis);

}  // namespace millrace
