// Encodes and decodes the messages of proto/graph by hand, so that decoding is
// fast, bounded in depth, and aliases large constants.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "millrace/graph/graph_def.h"
#include "millrace/tensor/chunks.h"
#include "millrace/tensor/wire_format.h"

namespace millrace {

// The limit on the nesting of functions in attributes of functions.
inline constexpr int kMaxAttrDepth = 16;

// Decodes a GraphDef. Returns INVALID_ARGUMENT, with the names of node and
// attribute, for malformed bytes, and for tensors and types that tensor/wire.h
// refuses. Nodes with the same attributes share them. Large constants alias the
// buffer that owns `in`.
StatusOr<GraphDef> ParseGraphDef(ChunkReader in);
StatusOr<GraphDef> ParseGraphDef(absl::string_view bytes);

// Encodes a GraphDef. Large constants are passed by reference to their buffers.
// A tensor without a type, or of variants that do not leave their process,
// becomes an empty message.
ByteChunks EncodeGraphDef(const GraphDef& def);
std::string SerializeGraphDef(const GraphDef& def);
std::string SerializeAttrValue(const AttrValue& value);

}  // namespace millrace
