// Decodes values of attributes, and lists of them.
#include <bit>
#include <memory>

#include "absl/strings/str_cat.h"
#include "millrace/graph/graph_decode.h"
#include "millrace/graph/graph_proto.h"
#include "millrace/tensor/wire.h"

namespace millrace {
namespace {

StatusOr<AttrValue::Func> Func(ChunkReader in, int depth) {
  if (depth >= kMaxAttrDepth) {
    return InvalidArgument("Functions in attributes nest deeper than ",
                           kMaxAttrDepth);
  }
  auto f = std::make_shared<NameAttrList>();
  MR_RETURN_IF_ERROR(ForEachField(
      in, "NameAttrList", [&](FieldTag tag, bool* handled) -> Status {
        if (tag.Is(1, WireType::kBytes))
          return Read(in.ReadString(&f->name), "NameAttrList");
        if (tag.Is(2, WireType::kBytes)) {
          ChunkReader entry;
          if (!in.ReadBytes(&entry)) return Malformed("NameAttrList");
          return DecodeAttrEntry(entry, &f->attrs, depth + 1);
        }
        *handled = false;
        return OkStatus();
      }));
  return AttrValue::Func(std::move(f));
}

template <class T>
Status Append(AttrValue* list, T item) {
  if (list->get<AttrValue::EmptyList>() != nullptr) *list = std::vector<T>();
  auto* items = list->get_mutable<std::vector<T>>();
  if (items == nullptr)
    return InvalidArgument("A list attribute has elements of two kinds");
  items->push_back(std::move(item));
  return OkStatus();
}

Status Floats(ChunkReader& in, FieldTag tag, AttrValue* value) {
  uint32_t bits;
  if (tag.type == WireType::kFixed32) {
    if (!in.ReadFixed32(&bits)) return Malformed("list(float)");
    return Append<float>(value, std::bit_cast<float>(bits));
  }
  ChunkReader packed;
  if (tag.type != WireType::kBytes || !in.ReadBytes(&packed))
    return Malformed("list(float)");
  while (!packed.done()) {
    if (!packed.ReadFixed32(&bits)) return Malformed("list(float)");
    MR_RETURN_IF_ERROR(Append<float>(value, std::bit_cast<float>(bits)));
  }
  return OkStatus();
}

Status BytesItem(uint32_t number, ChunkReader part, AttrValue* value,
                 int depth) {
  if (number == 2) return Append<std::string>(value, part.CopyRest());
  if (number == 7) {
    MR_ASSIGN_OR_RETURN(PartialShape shape, DecodePartialShape(part));
    return Append<PartialShape>(value, std::move(shape));
  }
  if (number == 8) {
    MR_ASSIGN_OR_RETURN(Tensor tensor, DecodeTensor(part, HostAllocator()));
    return Append<Tensor>(value, std::move(tensor));
  }
  MR_ASSIGN_OR_RETURN(AttrValue::Func f, Func(part, depth));
  return Append<AttrValue::Func>(value, std::move(f));
}

// Sets `value` to the list of the first kind that has elements.
Status List(ChunkReader in, AttrValue* value, int depth) {
  *value = AttrValue::EmptyList();
  return ForEachField(
      in, "list attribute", [&](FieldTag tag, bool* handled) -> Status {
        ChunkReader part;
        const bool bytes = tag.type == WireType::kBytes;
        if (bytes &&
            (tag.number == 2 || (tag.number >= 7 && tag.number <= 9))) {
          if (!in.ReadBytes(&part)) return Malformed("list attribute");
          return BytesItem(tag.number, part, value, depth);
        }
        if (tag.number == 3) {
          return Numbers(in, tag, "list(int)", [&](uint64_t n) {
            return Append<int64_t>(value, static_cast<int64_t>(n));
          });
        }
        if (tag.number == 5) {
          return Numbers(in, tag, "list(bool)", [&](uint64_t n) {
            return Append<bool>(value, n != 0);
          });
        }
        if (tag.number == 6) {
          return Numbers(in, tag, "list(type)", [&](uint64_t n) -> Status {
            MR_ASSIGN_OR_RETURN(const DataType type, TypeOf(n));
            return Append<DataType>(value, type);
          });
        }
        if (tag.number == 4) return Floats(in, tag, value);
        *handled = false;
        return OkStatus();
      });
}

Status BytesAttr(uint32_t number, ChunkReader part, AttrValue* value,
                 int depth) {
  switch (number) {
    case 1:
      return List(part, value, depth);
    case 2:
      *value = part.CopyRest();
      return OkStatus();
    case 7: {
      MR_ASSIGN_OR_RETURN(*value, DecodePartialShape(part));
      return OkStatus();
    }
    case 8: {
      MR_ASSIGN_OR_RETURN(*value, DecodeTensor(part, HostAllocator()));
      return OkStatus();
    }
    case 9:
      *value = AttrPlaceholder{part.CopyRest()};
      return OkStatus();
    case 10: {
      MR_ASSIGN_OR_RETURN(*value, Func(part, depth));
      return OkStatus();
    }
    default:
      return Malformed("AttrValue");
  }
}

}  // namespace

Status DecodeAttr(ChunkReader in, AttrValue* value, int depth) {
  return ForEachField(
      in, "AttrValue", [&](FieldTag tag, bool* handled) -> Status {
        ChunkReader part;
        uint64_t number = 0;
        *handled = true;
        if (tag.type == WireType::kBytes && tag.number <= 10) {
          if (!in.ReadBytes(&part)) return Malformed("AttrValue");
          return BytesAttr(tag.number, part, value, depth);
        }
        if (tag.Is(4, WireType::kFixed32)) {
          uint32_t bits;
          if (!in.ReadFixed32(&bits)) return Malformed("AttrValue");
          *value = std::bit_cast<float>(bits);
          return OkStatus();
        }
        if (tag.type != WireType::kVarint ||
            (tag.number != 3 && tag.number != 5 && tag.number != 6)) {
          *handled = false;
          return OkStatus();
        }
        if (!in.ReadVarint(&number)) return Malformed("AttrValue");
        if (tag.number == 3) *value = static_cast<int64_t>(number);
        if (tag.number == 5) *value = number != 0;
        if (tag.number == 6) {
          MR_ASSIGN_OR_RETURN(const DataType type, TypeOf(number));
          *value = type;
        }
        return OkStatus();
      });
}

namespace {

// Reads a list of shapes that nobody reads.
Status UnreadShapes(ChunkReader in, AttrValue::ShapeList* shapes) {
  const auto item = [&](ChunkReader& list, FieldTag tag,
                        bool* handled) -> Status {
    ChunkReader part;
    *handled = tag.Is(7, WireType::kBytes);
    if (!*handled) return OkStatus();
    if (!list.ReadBytes(&part)) return Malformed("list attribute");
    MR_ASSIGN_OR_RETURN(PartialShape shape, DecodeUnreadShape(part));
    shapes->push_back(std::move(shape));
    return OkStatus();
  };
  return ForEachField(in, "AttrValue",
                      [&](FieldTag tag, bool* handled) -> Status {
                        ChunkReader list;
                        *handled = tag.Is(1, WireType::kBytes);
                        if (!*handled) return OkStatus();
                        if (!in.ReadBytes(&list)) return Malformed("AttrValue");
                        return ForEachField(list, "list attribute",
                                            [&](FieldTag of_item, bool* read) {
                                              return item(list, of_item, read);
                                            });
                      });
}

}  // namespace

Status DecodeAttrEntry(ChunkReader in, AttrMap* attrs, int depth) {
  std::string name;
  ChunkReader value_part;
  MR_RETURN_IF_ERROR(
      ForEachField(in, "attribute", [&](FieldTag tag, bool* handled) -> Status {
        if (tag.Is(1, WireType::kBytes))
          return Read(in.ReadString(&name), "attribute");
        if (tag.Is(2, WireType::kBytes))
          return Read(in.ReadBytes(&value_part), "attribute");
        *handled = false;
        return OkStatus();
      }));
  // An annotation of stock TensorFlow's graph rewriting: shapes whose unknown
  // dimensions are numbered from -2 on. Nothing here reads it.
  if (name == "_input_shapes") return OkStatus();
  AttrValue value;
  const Status status = DecodeAttr(value_part, &value, depth);
  if (!status.ok()) {
    const Status error =
        Annotate(status, absl::StrCat("\n\t for attr '", name, "'"));
    AttrValue::ShapeList shapes;
    if (name != kElementShapesAttr || depth > 0 ||
        !UnreadShapes(value_part, &shapes).ok() || shapes.empty()) {
      return error;
    }
    attrs->Set(kUnfitShapesAttr, std::string(error.message()));
    value = std::move(shapes);
  }
  attrs->Set(name, std::move(value));
  return OkStatus();
}

}  // namespace millrace
