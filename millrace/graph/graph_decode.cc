// Implements the decoding functions of graph_proto.h: graphs, their nodes and
// functions.
#include "millrace/graph/graph_proto.h"

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "millrace/base/coding.h"
#include "millrace/graph/attr/attr_text.h"
#include "millrace/graph/graph_decode.h"

namespace millrace {
namespace {

Status Versions(ChunkReader in, VersionDef* v) {
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

Status StringPair(ChunkReader in, std::string* first, std::string* second) {
  return ForEachField(in, "pair of strings",
                      [&](FieldTag tag, bool* handled) -> Status {
                        if (tag.Is(1, WireType::kBytes))
                          return Read(in.ReadString(first), "pair of strings");
                        if (tag.Is(2, WireType::kBytes))
                          return Read(in.ReadString(second), "pair of strings");
                        *handled = false;
                        return OkStatus();
                      });
}

Status ResourceArg(ChunkReader in, std::pair<uint32_t, uint32_t>* entry) {
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
                              return DecodeAttrEntry(attr, &entry->second, 0);
                            });
      });
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
    return status.ok() ? status
                       : Annotate(status, absl::StrCat("; NodeDef: ",
                                                       NodeMark(node->name)));
  }

  Status Library(ChunkReader in, FunctionLibraryDef* library) {
    return ForEachField(
        in, "FunctionDefLibrary", [&](FieldTag tag, bool* handled) -> Status {
          ChunkReader part;
          *handled = tag.Is(1, WireType::kBytes) || tag.Is(2, WireType::kBytes);
          if (!*handled) return OkStatus();
          if (!in.ReadBytes(&part)) return Malformed("FunctionDefLibrary");
          // As nodes without a name, see NamedNode.
          if (tag.number == 1) {
            FunctionDef& f = library->functions.emplace_back();
            MR_RETURN_IF_ERROR(Function(part, &f));
            if (!f.signature.name.empty()) return OkStatus();
            return InvalidArgument("a function of the library has no name");
          }
          GradientDef& g = library->gradients.emplace_back();
          MR_RETURN_IF_ERROR(
              StringPair(part, &g.function_name, &g.gradient_func));
          if (!g.function_name.empty()) return OkStatus();
          return InvalidArgument("a gradient of the library has no function");
        });
  }

 private:
  // A node without a name ends the decoding: at two bytes each, such nodes
  // would turn a small message into a large list.
  Status NamedNode(ChunkReader in, std::vector<NodeDef>* nodes) {
    NodeDef& node = nodes->emplace_back();
    MR_RETURN_IF_ERROR(Node(in, &node));
    if (!node.name.empty()) return OkStatus();
    return InvalidArgument("Node '': Node name contains invalid characters");
  }

  // Reads the entries in attr_parts_. Small sets are looked up by their bytes.
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
      MR_RETURN_IF_ERROR(DecodeAttrEntry(part, attrs, 0));
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
              return DecodeOpDef(part, &f->signature);
            case 3:
              return NamedNode(part, &f->nodes);
            case 4:
            case 6: {
              auto& entry =
                  (tag.number == 4 ? f->ret : f->control_ret).emplace_back();
              return StringPair(part, &entry.first, &entry.second);
            }
            case 5:
              return DecodeAttrEntry(part, &f->attrs, 0);
            case 7:
              return ArgAttrs(part, &f->arg_attrs.emplace_back());
            default:
              return ResourceArg(part, &f->resource_arg_ids.emplace_back());
          }
        });
  }

  static constexpr size_t kMaxKeyBytes = 512;
  static constexpr size_t kMaxKnown = 4096;
  std::vector<ChunkReader> attr_parts_;
  std::string key_;
  absl::flat_hash_map<std::string, AttrMap> known_;
};

}  // namespace

StatusOr<GraphDef> ParseGraphDef(ChunkReader in) {
  GraphDef def;
  Decoder decoder;
  MR_RETURN_IF_ERROR(decoder.Graph(in, &def));
  return def;
}
StatusOr<GraphDef> ParseGraphDef(absl::string_view bytes) {
  return ParseGraphDef(ChunkReader(bytes));
}

}  // namespace millrace
