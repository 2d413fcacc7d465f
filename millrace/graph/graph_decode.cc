// The reading half of graph_proto.h.
#include <bit>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "millrace/base/coding.h"
#include "millrace/graph/graph_proto.h"
#include "millrace/tensor/wire.h"

namespace millrace {
namespace {

Status Malformed(absl::string_view what) {
  return InvalidArgument("Malformed message: the bytes are no ", what);
}

// Calls `field(tag, handled)` for each field; `field` reads its value, or
// clears *handled and leaves it to be skipped.
template <class Field>
Status ForEachField(ChunkReader& in, absl::string_view what, Field field) {
  while (!in.done()) {
    FieldTag tag;
    if (!in.ReadTag(&tag)) return Malformed(what);
    bool handled = true;
    MR_RETURN_IF_ERROR(field(tag, &handled));
    if (!handled && !in.SkipField(tag)) return Malformed(what);
  }
  return OkStatus();
}

// Schemas and attributes name types by number; those that are known by name
// only are refused where a node uses them, so that the error can name it.
StatusOr<DataType> TypeOf(uint64_t number) {
  if (number > 255)
    return InvalidArgument("unknown dtype number ",
                           static_cast<int64_t>(number));
  return static_cast<DataType>(number);
}

class Decoder {
 public:
  Status Graph(ChunkReader in, GraphDef* def) {
    int32_t old_version = 0;
    MR_RETURN_IF_ERROR(ForEachField(
        in, "GraphDef", [&](FieldTag tag, bool* handled) -> Status {
          ChunkReader part;
          if (tag.Is(1, WireType::kBytes)) {
            if (!in.ReadBytes(&part)) return Malformed("GraphDef");
            return NamedNode(part, &def->nodes);
          }
          if (tag.Is(2, WireType::kBytes)) {
            if (!in.ReadBytes(&part)) return Malformed("GraphDef");
            return Library(part, &def->library);
          }
          if (tag.Is(3, WireType::kVarint))
            return Read(in.ReadInt(&old_version), "GraphDef");
          if (tag.Is(4, WireType::kBytes)) {
            if (!in.ReadBytes(&part)) return Malformed("GraphDef");
            return Versions(part, &def->versions);
          }
          *handled = false;
          return OkStatus();
        }));
    if (def->versions.producer == 0) def->versions.producer = old_version;
    return OkStatus();
  }

  Status Node(ChunkReader in, NodeDef* node) {
    attr_parts_.clear();
    MR_RETURN_IF_ERROR(
        ForEachField(in, "NodeDef", [&](FieldTag tag, bool* handled) -> Status {
          if (tag.Is(1, WireType::kBytes))
            return Read(in.ReadString(&node->name), "NodeDef");
          if (tag.Is(2, WireType::kBytes))
            return Read(in.ReadString(&node->op), "NodeDef");
          if (tag.Is(3, WireType::kBytes)) {
            return Read(in.ReadString(&node->inputs.emplace_back()), "NodeDef");
          }
          if (tag.Is(4, WireType::kBytes))
            return Read(in.ReadString(&node->device), "NodeDef");
          if (tag.Is(5, WireType::kBytes)) {
            return Read(in.ReadBytes(&attr_parts_.emplace_back()), "NodeDef");
          }
          *handled = false;
          return OkStatus();
        }));
    const Status status = NodeAttrs(&node->attrs);
    return status.ok()
               ? status
               : Prefix(absl::StrCat("node '", node->name, "': "), status);
  }

  Status Library(ChunkReader in, FunctionLibraryDef* library) {
    return ForEachField(
        in, "FunctionDefLibrary", [&](FieldTag tag, bool* handled) -> Status {
          ChunkReader part;
          *handled = tag.Is(1, WireType::kBytes) || tag.Is(2, WireType::kBytes);
          if (!*handled) return OkStatus();
          if (!in.ReadBytes(&part)) return Malformed("FunctionDefLibrary");
          if (tag.number == 1)
            return Function(part, &library->functions.emplace_back());
          GradientDef& g = library->gradients.emplace_back();
          return StringPair(part, &g.function_name, &g.gradient_func);
        });
  }

  Status Attr(ChunkReader in, AttrValue* value, int depth) {
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
            MR_ASSIGN(const DataType type, TypeOf(number));
            *value = type;
          }
          return OkStatus();
        });
  }

 private:
  // Nodes without a name end the reading: two bytes each, they would make a
  // small message a large list.
  Status NamedNode(ChunkReader in, std::vector<NodeDef>* nodes) {
    NodeDef& node = nodes->emplace_back();
    MR_RETURN_IF_ERROR(Node(in, &node));
    if (!node.name.empty()) return OkStatus();
    return InvalidArgument("Node '': Node name contains invalid characters");
  }

  static Status Read(bool ok, absl::string_view what) {
    return ok ? OkStatus() : Malformed(what);
  }

  static Status Versions(ChunkReader in, VersionDef* v) {
    return ForEachField(
        in, "VersionDef", [&](FieldTag tag, bool* handled) -> Status {
          if (tag.Is(1, WireType::kVarint))
            return Read(in.ReadInt(&v->producer), "VersionDef");
          if (tag.Is(2, WireType::kVarint))
            return Read(in.ReadInt(&v->min_consumer), "VersionDef");
          if (tag.number == 3) {
            return Numbers(in, tag, "VersionDef", [v](uint64_t n) {
              v->bad_consumers.push_back(static_cast<int32_t>(n));
              return OkStatus();
            });
          }
          *handled = false;
          return OkStatus();
        });
  }

  // A repeated number, packed or not.
  template <class Add>
  static Status Numbers(ChunkReader& in, FieldTag tag, absl::string_view what,
                        Add add) {
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

  static Status StringPair(ChunkReader in, std::string* first,
                           std::string* second) {
    return ForEachField(
        in, "pair of strings", [&](FieldTag tag, bool* handled) -> Status {
          if (tag.Is(1, WireType::kBytes))
            return Read(in.ReadString(first), "pair of strings");
          if (tag.Is(2, WireType::kBytes))
            return Read(in.ReadString(second), "pair of strings");
          *handled = false;
          return OkStatus();
        });
  }

  // The entries in attr_parts_. Small sets are looked up by their bytes.
  Status NodeAttrs(AttrMap* attrs) {
    key_.clear();
    for (const ChunkReader& part : attr_parts_) {
      const absl::string_view bytes = part.ContiguousRest();
      if (bytes.size() != part.remaining() ||
          key_.size() + bytes.size() > kMaxKeyBytes) {
        return Entries(attrs);
      }
      PutLengthPrefixed(&key_, bytes);
    }
    if (key_.empty()) return OkStatus();
    auto known = known_.find(key_);
    if (known != known_.end()) {
      *attrs = known->second;
      return OkStatus();
    }
    MR_RETURN_IF_ERROR(Entries(attrs));
    if (known_.size() < kMaxKnown) known_.emplace(key_, *attrs);
    return OkStatus();
  }

  Status Entries(AttrMap* attrs) {
    for (const ChunkReader& part : attr_parts_)
      MR_RETURN_IF_ERROR(Entry(part, attrs, 0));
    return OkStatus();
  }

  Status Entry(ChunkReader in, AttrMap* attrs, int depth) {
    std::string name;
    ChunkReader value_part;
    MR_RETURN_IF_ERROR(ForEachField(
        in, "attribute", [&](FieldTag tag, bool* handled) -> Status {
          if (tag.Is(1, WireType::kBytes))
            return Read(in.ReadString(&name), "attribute");
          if (tag.Is(2, WireType::kBytes))
            return Read(in.ReadBytes(&value_part), "attribute");
          *handled = false;
          return OkStatus();
        }));
    // What stock's graph rewriting leaves behind for itself: shapes whose
    // unknown dimensions are numbered from -2 on. Nobody here reads it.
    if (name == "_input_shapes") return OkStatus();
    AttrValue value;
    const Status status = Attr(value_part, &value, depth);
    if (!status.ok())
      return Prefix(absl::StrCat("attr '", name, "': "), status);
    attrs->Set(name, std::move(value));
    return OkStatus();
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
        MR_ASSIGN(*value, DecodePartialShape(part));
        return OkStatus();
      }
      case 8: {
        MR_ASSIGN(*value, DecodeTensor(part, HostAllocator()));
        return OkStatus();
      }
      case 9:
        *value = AttrPlaceholder{part.CopyRest()};
        return OkStatus();
      case 10: {
        MR_ASSIGN(*value, Func(part, depth));
        return OkStatus();
      }
      default:
        return Malformed("AttrValue");
    }
  }

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
            return Entry(entry, &f->attrs, depth + 1);
          }
          *handled = false;
          return OkStatus();
        }));
    return AttrValue::Func(std::move(f));
  }

  // `value` becomes the list of the first kind that has elements.
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
              MR_ASSIGN(const DataType type, TypeOf(n));
              return Append<DataType>(value, type);
            });
          }
          if (tag.number == 4) return Floats(in, tag, value);
          *handled = false;
          return OkStatus();
        });
  }

  static Status Floats(ChunkReader& in, FieldTag tag, AttrValue* value) {
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
      MR_ASSIGN(PartialShape shape, DecodePartialShape(part));
      return Append<PartialShape>(value, std::move(shape));
    }
    if (number == 8) {
      MR_ASSIGN(Tensor tensor, DecodeTensor(part, HostAllocator()));
      return Append<Tensor>(value, std::move(tensor));
    }
    MR_ASSIGN(AttrValue::Func f, Func(part, depth));
    return Append<AttrValue::Func>(value, std::move(f));
  }

  template <class T>
  static Status Append(AttrValue* list, T item) {
    if (list->get<AttrValue::EmptyList>() != nullptr) *list = std::vector<T>();
    auto* items = list->get_mutable<std::vector<T>>();
    if (items == nullptr)
      return InvalidArgument("A list attribute has elements of two kinds");
    items->push_back(std::move(item));
    return OkStatus();
  }

  Status Function(ChunkReader in, FunctionDef* f) {
    return ForEachField(
        in, "FunctionDef", [&](FieldTag tag, bool* handled) -> Status {
          *handled = tag.type == WireType::kBytes && tag.number <= 8 &&
                     tag.number != 2;
          if (!*handled) return OkStatus();
          ChunkReader part;
          if (!in.ReadBytes(&part)) return Malformed("FunctionDef");
          switch (tag.number) {
            case 1:
              return Signature(part, &f->signature);
            case 3:
              return NamedNode(part, &f->nodes);
            case 4:
            case 6: {
              auto& entry =
                  (tag.number == 4 ? f->ret : f->control_ret).emplace_back();
              return StringPair(part, &entry.first, &entry.second);
            }
            case 5:
              return Entry(part, &f->attrs, 0);
            case 7:
              return ArgAttrs(part, &f->arg_attrs.emplace_back());
            default:
              return ResourceArg(part, &f->resource_arg_ids.emplace_back());
          }
        });
  }

  Status ArgAttrs(ChunkReader in, std::pair<uint32_t, AttrMap>* entry) {
    return ForEachField(
        in, "FunctionDef.arg_attr", [&](FieldTag tag, bool* handled) -> Status {
          if (tag.Is(1, WireType::kVarint))
            return Read(in.ReadInt(&entry->first), "arg_attr");
          *handled = tag.Is(2, WireType::kBytes);
          if (!*handled) return OkStatus();
          ChunkReader attrs;
          if (!in.ReadBytes(&attrs)) return Malformed("arg_attr");
          return ForEachField(attrs, "arg_attr",
                              [&](FieldTag t, bool* h) -> Status {
                                *h = t.Is(1, WireType::kBytes);
                                if (!*h) return OkStatus();
                                ChunkReader attr;
                                if (!attrs.ReadBytes(&attr))
                                  return Malformed("arg_attr");
                                return Entry(attr, &entry->second, 0);
                              });
        });
  }

  static Status ResourceArg(ChunkReader in,
                            std::pair<uint32_t, uint32_t>* entry) {
    return ForEachField(
        in, "FunctionDef", [&](FieldTag tag, bool* handled) -> Status {
          if (tag.Is(1, WireType::kVarint))
            return Read(in.ReadInt(&entry->first), "FunctionDef");
          if (tag.Is(2, WireType::kVarint))
            return Read(in.ReadInt(&entry->second), "FunctionDef");
          *handled = false;
          return OkStatus();
        });
  }

  Status Signature(ChunkReader in, OpDef* op) {
    return ForEachField(
        in, "OpDef", [&](FieldTag tag, bool* handled) -> Status {
          ChunkReader part;
          if (tag.Is(1, WireType::kBytes))
            return Read(in.ReadString(&op->name), "OpDef");
          if (tag.Is(6, WireType::kBytes))
            return Read(in.ReadString(&op->doc), "OpDef");
          if (tag.Is(20, WireType::kBytes)) {
            return Read(in.ReadString(&op->control_outputs.emplace_back()),
                        "OpDef");
          }
          if (tag.Is(16, WireType::kVarint))
            return Read(in.ReadBool(&op->is_aggregate), "OpDef");
          if (tag.Is(17, WireType::kVarint))
            return Read(in.ReadBool(&op->is_stateful), "OpDef");
          if (tag.Is(18, WireType::kVarint))
            return Read(in.ReadBool(&op->is_commutative), "OpDef");
          *handled = tag.type == WireType::kBytes && tag.number >= 2 &&
                     tag.number <= 4;
          if (!*handled) return OkStatus();
          if (!in.ReadBytes(&part)) return Malformed("OpDef");
          if (tag.number == 2) return Arg(part, &op->inputs.emplace_back());
          if (tag.number == 3) return Arg(part, &op->outputs.emplace_back());
          return AttrOf(part, &op->attrs.emplace_back());
        });
  }

  static Status Arg(ChunkReader in, ArgDef* arg) {
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
            MR_ASSIGN(arg->type, TypeOf(number));
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
          if (tag.number == 7) return Attr(part, &attr->allowed, 0);
          return Attr(part, &attr->default_value.emplace(), 0);
        }));
    if (has_minimum) attr->minimum = minimum;
    return OkStatus();
  }

  static constexpr size_t kMaxKeyBytes = 512;
  static constexpr size_t kMaxKnown = 4096;
  std::vector<ChunkReader> attr_parts_;
  std::string key_;
  absl::flat_hash_map<std::string, AttrMap> known_;
};

template <class T, class Method>
StatusOr<T> Parse(ChunkReader in, Method method) {
  T out;
  Decoder decoder;
  MR_RETURN_IF_ERROR((decoder.*method)(in, &out));
  return out;
}

}  // namespace

StatusOr<GraphDef> ParseGraphDef(ChunkReader in) {
  return Parse<GraphDef>(in, &Decoder::Graph);
}
StatusOr<GraphDef> ParseGraphDef(absl::string_view bytes) {
  return ParseGraphDef(ChunkReader(bytes));
}
StatusOr<NodeDef> ParseNodeDef(absl::string_view bytes) {
  return Parse<NodeDef>(ChunkReader(bytes), &Decoder::Node);
}
StatusOr<FunctionLibraryDef> ParseFunctionLibraryDef(absl::string_view bytes) {
  return Parse<FunctionLibraryDef>(ChunkReader(bytes), &Decoder::Library);
}
StatusOr<AttrValue> ParseAttrValue(absl::string_view bytes) {
  AttrValue value;
  MR_RETURN_IF_ERROR(Decoder().Attr(ChunkReader(bytes), &value, 0));
  return value;
}

}  // namespace millrace
