// FoldConstants: computes before the run what depends on constants alone.
#pragma once

#include <cstdint>

#include "millrace/graph/graph.h"
#include "millrace/graph/shape_refiner.h"
#include "millrace/pass/run_signature.h"

namespace millrace {

// Replaces pure nodes (pass/pure_nodes.h) of a pruned, placed graph whose data
// inputs are all constants on the same CPU by constants: one of the node's own
// name, and one for each further output that is read. What a replaced node and
// the constants that it read waited for, the new constant waits for, so it
// stays in its branch or loop. Constants that nobody reads any more go.
//
// A node stays as it is where its shape function does not know how large the
// result is, where the result is over `max_bytes` (0: kMaxFoldedBytes, or the
// size of the inputs), and where `evaluate` gives nothing: its error is then
// that of the run. All inputs of a node are at most a megabyte, all results
// together ten.
inline constexpr int64_t kMaxFoldedBytes = 100 << 10;
Status FoldConstants(const RunSignature& signature,
                     const ConstantEvaluator& evaluate, int64_t max_bytes,
                     Graph* graph);

}  // namespace millrace
