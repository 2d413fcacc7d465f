#include "millrace/cluster/master/run/client_edges.h"

#include <utility>

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

}  // namespace

Status TerminateAtClient(GraphDef* def, size_t first, const std::string& device,
                         uint64_t incarnation, bool narrow,
                         ClientEdges* edges) {
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
