// Control loops: let a device take part in another device's while loop.
#pragma once

#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "millrace/graph/graph.h"
#include "millrace/pass/loop_frames.h"

namespace millrace {

// The Merge that runs once per iteration of (frame, device).
using IterationTriggers =
    absl::flat_hash_map<std::pair<int, std::string>, NodeId>;

// For each frame with nodes on several devices, adds to every device other than
// that of the loop's condition
//     Const -> Enter -> Merge -> Switch(pred: the loop's condition) ->
//     NextIteration -> Merge
// on that device, so that the frame iterates there, too. Receives of that frame
// on that device get a control edge from the Merge. On the condition's device
// the loop itself iterates; a Merge of the loop triggers its receives. `frames`
// is updated for the added nodes.
StatusOr<IterationTriggers> AddControlLoops(Graph* graph, LoopFrames* frames);

}  // namespace millrace
