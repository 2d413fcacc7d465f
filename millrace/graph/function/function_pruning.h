// Removes from a function's body what a call does not need.
#pragma once

#include <string>
#include <utility>

#include "absl/types/span.h"
#include "millrace/graph/graph.h"

namespace millrace {

// Removes the nodes whose outputs nothing needs, as TensorFlow does before it
// compiles a body. Needed are results, nodes with state or with a check, and
// the nodes of `control_ret` (pairs of an output's and a node's name).
// Arguments stay.
void DropUnread(
    absl::Span<const std::pair<std::string, std::string>> control_ret,
    Graph* body);

}  // namespace millrace
