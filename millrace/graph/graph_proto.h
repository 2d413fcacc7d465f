// Graphs as bytes: the messages of proto/graph, read and written by hand, so
// that reading is fast, bounded in depth, and aliases big constants.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "millrace/graph/graph_def.h"
#include "millrace/tensor/chunks.h"
#include "millrace/tensor/wire_format.h"

namespace millrace {

// Functions inside attributes of functions inside ... nest at most this deep.
inline constexpr int kMaxAttrDepth = 16;

// INVALID_ARGUMENT, with the names of node and attribute, for bytes that are no
// GraphDef, and for tensors and types in it that tensor/wire.h refuses. Nodes
// with the same attributes share them. Big constants alias what owns `in`.
StatusOr<GraphDef> ParseGraphDef(ChunkReader in);
StatusOr<GraphDef> ParseGraphDef(absl::string_view bytes);

// Big constants are passed by reference to their buffers. A tensor without a
// type, or of variants, which do not travel, becomes an empty message.
ByteChunks EncodeGraphDef(const GraphDef& def);
std::string SerializeGraphDef(const GraphDef& def);
std::string SerializeAttrValue(const AttrValue& value);

}  // namespace millrace
