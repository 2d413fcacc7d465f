#include "millrace/cluster/master/run/client_edges.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "millrace/graph/builtin_ops.h"
#include "millrace/kernel/rendezvous.h"

namespace millrace {
namespace {

AttrMap TransferAttrs(absl::string_view type_attr, DataType type,
                      const RendezvousKey& key) {
  AttrMap attrs(
      {{"tensor_name", key.tensor_name},
       {"send_device", key.send_device},
       {"send_device_incarnation", static_cast<int64_t>(key.send_incarnation)},
       {"recv_device", key.recv_device},
       {"client_terminated", true}});
  attrs.Set(type_attr, type);
  return attrs;
}

AttrMap CastAttrs(DataType from, DataType to) {
  return AttrMap({{"SrcT", from}, {"DstT", to}, {"Truncate", true}});
}

// Returns "_recv_x_0" for "_arg_x_0_2", and "_send_x_0" for "_retval_x_0_2"; ""
// for other names.
std::string TransferName(absl::string_view name) {
  const char* prefix = "_recv_";
  if (!absl::ConsumePrefix(&name, "_arg_")) {
    if (!absl::ConsumePrefix(&name, "_retval_")) return "";
    prefix = "_send_";
  }
  const size_t index = name.rfind('_');
  if (index == absl::string_view::npos) return "";
  return absl::StrCat(prefix, name.substr(0, index));
}

// Gives the feeds and fetches from index `first` on the names that TensorFlow's
// masters give to the transfers that they become. A second one of the same
// tensor keeps its own.
void NameTransfers(GraphDef* def, size_t first) {
  absl::flat_hash_set<std::string> taken;
  for (const NodeDef& node : def->nodes) taken.insert(node.name);
  absl::flat_hash_map<std::string, std::string> names;
  for (size_t i = first; i < def->nodes.size(); ++i) {
    NodeDef& node = def->nodes[i];
    if (node.op != builtin::kArg && node.op != builtin::kRetval) continue;
    std::string name = TransferName(node.name);
    if (name.empty() || !taken.insert(name).second) continue;
    names.emplace(node.name, name);
    node.name = std::move(name);
  }
  for (size_t i = first; i < def->nodes.size(); ++i) {
    for (std::string& input : def->nodes[i].inputs) {
      // Feeds have one output, so nobody names a port, and they control nodes
      // that are started by them.
      const bool is_control = !input.empty() && input[0] == '^';
      const auto renamed = names.find(is_control ? input.substr(1) : input);
      if (renamed == names.end()) continue;
      input = absl::StrCat(is_control ? "^" : "", renamed->second);
    }
  }
}

}  // namespace

Status TerminateAtClient(GraphDef* def, size_t first, const std::string& device,
                         uint64_t incarnation, bool narrow,
                         ClientEdges* edges) {
  NameTransfers(def, first);
  const size_t end = def->nodes.size();
  for (size_t i = first; i < end; ++i) {
    NodeDef& node = def->nodes[i];
    const bool is_feed = node.op == builtin::kArg;
    if (!is_feed && node.op != builtin::kRetval) continue;
    const AttrValue* type_attr = node.attrs.Find("T");
    const AttrValue* index_attr = node.attrs.Find("index");
    const DataType* type = type_attr ? type_attr->get<DataType>() : nullptr;
    const int64_t* index = index_attr ? index_attr->get<int64_t>() : nullptr;
    if (type == nullptr || index == nullptr) {
      return Internal("{{node ", node.name, "}} has no type or no index");
    }
    const DataType value_type = *type;
    RendezvousKey key;
    key.send_device = device;
    key.recv_device = device;
    key.send_incarnation = incarnation;
    key.tensor_name = node.name;
    ClientEdge edge;
    edge.index = static_cast<int>(*index);
    edge.key = key.ToString();
    edge.narrow = narrow && value_type == DataType::kFloat;
    const DataType wire_type = edge.narrow ? DataType::kBfloat16 : value_type;
    NodeDef cast;
    if (edge.narrow) {
      cast.name = absl::StrCat(node.name, "/_cast");
      cast.op = builtin::kCast;
      cast.device = node.device;
    }
    if (is_feed) {
      node.op = builtin::kRecv;
      node.attrs = TransferAttrs("tensor_type", wire_type, key);
      if (edge.narrow) {
        // Consumers refer to the fed node by name, so the cast takes its name.
        std::swap(cast.name, node.name);
        cast.inputs = {node.name};
        cast.attrs = CastAttrs(wire_type, value_type);
      }
      edges->feeds.push_back(std::move(edge));
    } else {
      node.op = builtin::kSend;
      node.attrs = TransferAttrs("T", wire_type, key);
      if (edge.narrow) {
        cast.inputs = {node.inputs.at(0)};
        cast.attrs = CastAttrs(value_type, wire_type);
        node.inputs[0] = cast.name;
      }
      edges->fetches.push_back(std::move(edge));
    }
    // Last, since it may move `node`.
    if (!cast.op.empty()) def->nodes.push_back(std::move(cast));
  }
  return OkStatus();
}

}  // namespace millrace
