// Finds what a graph reads of its conditionals and loops. TensorFlow makes
// switches and merges of those that have the attribute
// "_lower_using_switch_merge", and prunes afterwards: of a branch only that
// runs which somebody needs. Here they stay calls, of bodies that are pruned as
// much.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "millrace/graph/graph.h"

namespace millrace {

// Sets the attribute builtin::kReadResults of these nodes: the numbers of the
// results that are needed, in ascending order, with builtin::kReadEffects in
// front if those effects are needed that a function's control_ret names.
//
// Of nodes in `whole`, which are targets of the run or fetched themselves, all
// is needed; nodes in `followed` count as if another node waited for them. A
// loop needs those results, too, that its condition and its other results
// depend on; one whose functions cannot be instantiated is left as it is.
void MarkReadResults(absl::Span<const NodeId> whole,
                     absl::Span<const NodeId> followed, Graph* graph);

// Removes from a function's body what the results `read` do not need, as
// MarkReadResults writes them, and marks the conditionals and loops in it;
// arguments stay. Returns INTERNAL if there is no such result.
Status KeepReadResults(
    absl::Span<const int64_t> read,
    absl::Span<const std::pair<std::string, std::string>> control_ret,
    Graph* body);

}  // namespace millrace
