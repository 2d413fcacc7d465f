// Decodes the schemas of functions.
#include "millrace/graph/graph_decode.h"

namespace millrace {
namespace {

Status Arg(ChunkReader in, ArgDef* arg) {
  return ForEachField(
      in, "OpDef.ArgDef", [&](FieldTag tag, bool* handled) -> Status {
        if (tag.Is(1, WireType::kBytes))
          return Read(in.ReadString(&arg->name), "ArgDef");
        if (tag.Is(4, WireType::kBytes))
          return Read(in.ReadString(&arg->type_attr), "ArgDef");
        if (tag.Is(5, WireType::kBytes))
          return Read(in.ReadString(&arg->number_attr), "ArgDef");
        if (tag.Is(6, WireType::kBytes))
          return Read(in.ReadString(&arg->type_list_attr), "ArgDef");
        if (tag.Is(16, WireType::kVarint))
          return Read(in.ReadBool(&arg->is_ref), "ArgDef");
        if (tag.Is(3, WireType::kVarint)) {
          uint64_t number;
          if (!in.ReadVarint(&number)) return Malformed("ArgDef");
          MR_ASSIGN_OR_RETURN(arg->type, TypeOf(number));
          return OkStatus();
        }
        *handled = false;
        return OkStatus();
      });
}

Status AttrOf(ChunkReader in, AttrDef* attr) {
  bool has_minimum = false;
  int64_t minimum = 0;
  MR_RETURN_IF_ERROR(ForEachField(
      in, "OpDef.AttrDef", [&](FieldTag tag, bool* handled) -> Status {
        ChunkReader part;
        if (tag.Is(1, WireType::kBytes))
          return Read(in.ReadString(&attr->name), "AttrDef");
        if (tag.Is(2, WireType::kBytes))
          return Read(in.ReadString(&attr->kind), "AttrDef");
        if (tag.Is(5, WireType::kVarint))
          return Read(in.ReadBool(&has_minimum), "AttrDef");
        if (tag.Is(6, WireType::kVarint))
          return Read(in.ReadInt(&minimum), "AttrDef");
        *handled = tag.Is(3, WireType::kBytes) || tag.Is(7, WireType::kBytes);
        if (!*handled) return OkStatus();
        if (!in.ReadBytes(&part)) return Malformed("AttrDef");
        if (tag.number == 7) return DecodeAttr(part, &attr->allowed, 0);
        return DecodeAttr(part, &attr->default_value.emplace(), 0);
      }));
  if (has_minimum) attr->minimum = minimum;
  return OkStatus();
}

Status ReadFlag(ChunkReader& in, OpFlags flag, OpDef* op) {
  bool is_set = false;
  MR_RETURN_IF_ERROR(Read(in.ReadBool(&is_set), "OpDef"));
  op->flags = is_set ? op->flags | flag : op->flags & ~flag;
  return OkStatus();
}

}  // namespace

Status DecodeOpDef(ChunkReader in, OpDef* op) {
  return ForEachField(in, "OpDef", [&](FieldTag tag, bool* handled) -> Status {
    ChunkReader part;
    if (tag.Is(1, WireType::kBytes))
      return Read(in.ReadString(&op->name), "OpDef");
    if (tag.Is(6, WireType::kBytes))
      return Read(in.ReadString(&op->doc), "OpDef");
    if (tag.Is(20, WireType::kBytes)) {
      return Read(in.ReadString(&op->control_outputs.emplace_back()), "OpDef");
    }
    if (tag.Is(16, WireType::kVarint)) return ReadFlag(in, kAggregate, op);
    if (tag.Is(17, WireType::kVarint)) return ReadFlag(in, kStateful, op);
    if (tag.Is(18, WireType::kVarint)) return ReadFlag(in, kCommutative, op);
    *handled =
        tag.type == WireType::kBytes && tag.number >= 2 && tag.number <= 4;
    if (!*handled) return OkStatus();
    if (!in.ReadBytes(&part)) return Malformed("OpDef");
    if (tag.number == 2) return Arg(part, &op->inputs.emplace_back());
    if (tag.number == 3) return Arg(part, &op->outputs.emplace_back());
    return AttrOf(part, &op->attrs.emplace_back());
  });
}

}  // namespace millrace
