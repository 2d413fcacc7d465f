// GraphDef <-> bytes of the GraphDef message (proto/graph/graph.proto).
#pragma once

#include <string>

#include "absl/strings/cord.h"
#include "millrace/graph/graph_def.h"

namespace millrace {

// INVALID_ARGUMENT for bytes that are no GraphDef, and for tensors and types
// in it that tensor/wire.h refuses.
StatusOr<GraphDef> ParseGraphDef(absl::string_view bytes);
std::string SerializeGraphDef(const GraphDef& def);

StatusOr<NodeDef> ParseNodeDef(absl::string_view bytes);
std::string SerializeNodeDef(const NodeDef& def);

}  // namespace millrace
