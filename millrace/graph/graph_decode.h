// The parts of the decoder of graph_proto.h, one file each.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "millrace/base/memory/decode_charge.h"
#include "millrace/graph/graph_def.h"
#include "millrace/tensor/wire_format.h"

namespace millrace {

inline Status Malformed(absl::string_view what) {
  return InvalidArgument("Malformed message: the bytes are no ", what);
}
inline Status Read(bool ok, absl::string_view what) {
  return ok ? OkStatus() : Malformed(what);
}

// About what becomes of a field that has two bytes on the wire.
inline constexpr size_t kFieldBytes = 64;

// Calls `field(tag, handled)` for each field; `field` reads its value, or
// clears *handled and leaves it to be skipped.
template <class Field>
Status ForEachField(ChunkReader& in, absl::string_view what, Field field) {
  while (!in.done()) {
    FieldTag tag;
    if (!in.ReadTag(&tag)) return Malformed(what);
    MR_RETURN_IF_ERROR(DecodeCharge::Count(kFieldBytes));
    bool handled = true;
    MR_RETURN_IF_ERROR(field(tag, &handled));
    if (!handled && !in.SkipField(tag)) return Malformed(what);
  }
  return OkStatus();
}

// Schemas and attributes refer to types by number. Types that are only known by
// name, or not at all, are refused where a node uses them, so that the error
// can name the node.
inline StatusOr<DataType> TypeOf(uint64_t number) {
  if (number > std::numeric_limits<uint16_t>::max()) {
    return InvalidArgument("AttrValue has invalid DataType enum: ",
                           static_cast<int64_t>(number));
  }
  return static_cast<DataType>(number);
}

// Reads a repeated number, packed or not.
template <class Add>
Status Numbers(ChunkReader& in, FieldTag tag, absl::string_view what, Add add) {
  uint64_t n = 0;
  if (tag.type == WireType::kVarint) {
    if (!in.ReadVarint(&n)) return Malformed(what);
    return add(n);
  }
  ChunkReader packed;
  if (tag.type != WireType::kBytes || !in.ReadBytes(&packed))
    return Malformed(what);
  while (!packed.done()) {
    if (!packed.ReadVarint(&n)) return Malformed(what);
    MR_RETURN_IF_ERROR(add(n));
  }
  return OkStatus();
}

// attr_decode.cc: decodes an attribute's value, and a name with a value.
// `depth` is the number of functions around it.
Status DecodeAttr(ChunkReader in, AttrValue* value, int depth);
Status DecodeAttrEntry(ChunkReader in, AttrMap* attrs, int depth);

// op_def_decode.cc: decodes the schema of a function.
Status DecodeOpDef(ChunkReader in, OpDef* op);

}  // namespace millrace
