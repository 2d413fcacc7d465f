// FoldConstants: constant folding, which computes nodes that depend only on
// constants before the run.
#pragma once

#include <cstdint>

#include "millrace/graph/graph.h"
#include "millrace/graph/shape_refiner.h"
#include "millrace/pass/run_signature.h"

namespace millrace {

// Replaces pure nodes (pass/pure_nodes.h) of a pruned, placed graph whose data
// inputs are all constants on the same CPU by constants: one with the node's
// own name, and one for each further output that is read. The new constant gets
// the control inputs of the replaced node and of the constants that it read, so
// it stays in its branch or loop. Constants that are not read any more are
// removed.
//
// A node is left unchanged if its shape function does not determine the size of
// the result, if the result is larger than `max_bytes` (0: kMaxFoldedBytes, or
// the size of the inputs), or if `evaluate` returns nothing; an error is then
// reported by the run. The inputs of a node are limited to a megabyte, all
// results together to ten.
inline constexpr int64_t kMaxFoldedBytes = 100 << 10;
Status FoldConstants(const RunSignature& signature,
                     const ConstantEvaluator& evaluate, int64_t max_bytes,
                     Graph* graph);

}  // namespace millrace
