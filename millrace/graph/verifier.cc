#include "millrace/graph/verifier.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "millrace/graph/attr/attr_text.h"
#include "millrace/graph/device_name.h"

namespace millrace {
namespace {

template <class... Args>
Status Broken(const Node& node, const Args&... args) {
  return Internal(NodeMark(node.name), " ", args...);
}

// Calls `check(node)` for each node.
template <class Check>
Status ForEachNode(const Graph& graph, Check check) {
  for (NodeId id = 0; id < graph.num_ids(); ++id) {
    if (const Node* node = graph.node(id)) MR_RETURN_IF_ERROR(check(*node));
  }
  return OkStatus();
}

bool Exists(const Graph& graph, NodeId id) {
  return id >= 0 && id < graph.num_ids() && graph.node(id) != nullptr;
}

Status NamesAndIds(const Graph& graph) {
  int count = 0;
  MR_RETURN_IF_ERROR(ForEachNode(graph, [&](const Node& node) -> Status {
    ++count;
    if (graph.node(node.id) != &node)
      return Broken(node, "has another node's id");
    if (node.name.empty() || graph.Find(node.name) != &node) {
      return Broken(node, "is not found by its name");
    }
    return OkStatus();
  }));
  if (count != graph.num_nodes()) {
    return Internal("the graph has ", count, " nodes and counts ",
                    graph.num_nodes());
  }
  return OkStatus();
}

Status AttrsFitTheSchema(const Graph& graph) {
  return ForEachNode(graph, [&](const Node& node) -> Status {
    if (node.op == nullptr) return Broken(node, "has no op");
    // The defaults in the signature of a function are untrusted; a call without
    // an attribute uses them.
    const bool is_call = graph.ops().Find(node.op->name) != node.op;
    for (const AttrDef& attr : node.op->attrs) {
      const AttrValue* value = node.attrs.Find(attr.name);
      if (value == nullptr) return Broken(node, "lacks attr '", attr.name, "'");
      if (is_call) continue;
      const Status fits = CheckAttr(attr, *value);
      if (!fits.ok()) return Broken(node, fits.message());
    }
    const auto inputs = ArgTypes(node.op->inputs, node.attrs);
    const auto outputs = ArgTypes(node.op->outputs, node.attrs);
    if (!inputs.ok() || *inputs != node.input_types)
      return Broken(node, "has wrong input types");
    if (!outputs.ok() || *outputs != node.output_types) {
      return Broken(node, "has wrong output types");
    }
    return OkStatus();
  });
}

Status EdgesFitTheirEnds(const Graph& graph) {
  return ForEachNode(graph, [&](const Node& node) -> Status {
    if (node.inputs.size() != node.input_types.size()) {
      return Broken(node, "has ", node.inputs.size(), " inputs and ",
                    node.input_types.size(), " input types");
    }
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const OutputRef in = node.inputs[i];
      if (in.node == kNoNode) continue;
      if (!Exists(graph, in.node))
        return Broken(node, "has a removed node as input ", i);
      const Node& src = *graph.node(in.node);
      if (in.port < 0 || in.port >= src.num_outputs()) {
        return Broken(node, "has no such output as input ", i, ": ", src.name,
                      ":", in.port);
      }
      if (!CanFeed(src.output_types[in.port], node.input_types[i])) {
        return Broken(node, "has input ", i, " of another type: ", src.name,
                      ":", in.port);
      }
    }
    return OkStatus();
  });
}

// Each edge is listed at both ends, once.
Status EdgesHaveTwoEnds(const Graph& graph) {
  size_t in_edges = 0;
  size_t out_edges = 0;
  MR_RETURN_IF_ERROR(ForEachNode(graph, [&](const Node& node) -> Status {
    for (const OutputRef& in : node.inputs) in_edges += in.node != kNoNode;
    in_edges += node.control_inputs.size();
    out_edges += node.out_edges.size();
    absl::flat_hash_set<NodeId> controls;
    for (NodeId src : node.control_inputs) {
      if (!Exists(graph, src))
        return Broken(node, "has a removed node as control input");
      if (!controls.insert(src).second) {
        return Broken(node,
                      "has a control input twice: ", graph.node(src)->name);
      }
    }
    absl::flat_hash_set<NodeId> control_targets;
    for (const OutEdge& e : node.out_edges) {
      if (!Exists(graph, e.dst))
        return Broken(node, "has an edge to a removed node");
      const Node& dst = *graph.node(e.dst);
      if ((e.port == kControlPort) != (e.dst_port == kControlPort)) {
        return Broken(node, "has an edge that is control at one end only, to ",
                      dst.name);
      }
      if (e.port == kControlPort) {
        if (!control_targets.insert(e.dst).second) {
          return Broken(node, "has a control edge twice, to ", dst.name);
        }
      } else if (e.dst_port < 0 || e.dst_port >= dst.num_inputs() ||
                 dst.inputs[e.dst_port] != OutputRef{node.id, e.port}) {
        return Broken(node, "has an edge that its end does not know, to ",
                      dst.name);
      }
    }
    return OkStatus();
  }));
  if (in_edges != out_edges) {
    return Internal("nodes know ", in_edges, " edges in and ", out_edges,
                    " edges out");
  }
  return OkStatus();
}

Status InputsAreConnected(const Graph& graph) {
  return ForEachNode(graph, [](const Node& node) -> Status {
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i].node == kNoNode)
        return Broken(node, "has no input ", i);
    }
    return OkStatus();
  });
}

Status OnlyLoopsHaveCycles(const Graph& graph) {
  const auto order = TopologicalOrder(graph);
  return order.ok() ? OkStatus() : Internal(order.status().message());
}

Status DevicesAreFullNames(const Graph& graph) {
  absl::flat_hash_set<absl::string_view> known;
  return ForEachNode(graph, [&](const Node& node) -> Status {
    if (!known.insert(node.assigned_device).second) return OkStatus();
    const auto name = DeviceName::Parse(node.assigned_device);
    if (!name.ok() || !name->IsFull()) {
      return Broken(node, "is assigned to no full device name: '",
                    node.assigned_device, "'");
    }
    return OkStatus();
  });
}

Status OneDevice(const Graph& graph) {
  const std::string* device = nullptr;
  return ForEachNode(graph, [&](const Node& node) -> Status {
    if (device == nullptr) device = &node.assigned_device;
    if (*device != node.assigned_device) {
      return Broken(node, "is on ", node.assigned_device,
                    " in the partition of ", *device);
    }
    return OkStatus();
  });
}

struct Invariant {
  const char* name;
  GraphStage from;  // the first stage that requires it
  // Returns OK, or INTERNAL that names a node.
  Status (*check)(const Graph& graph);
};

constexpr Invariant kInvariants[] = {
    {"names and ids are unique", GraphStage::kBuilding, NamesAndIds},
    {"attributes and types fit the schema", GraphStage::kBuilding,
     AttrsFitTheSchema},
    {"edges fit their ends", GraphStage::kBuilding, EdgesFitTheirEnds},
    {"edges have two ends", GraphStage::kBuilding, EdgesHaveTwoEnds},
    {"inputs are connected", GraphStage::kBuilt, InputsAreConnected},
    {"only loops have cycles", GraphStage::kBuilt, OnlyLoopsHaveCycles},
    {"devices are full names", GraphStage::kPlaced, DevicesAreFullNames},
    {"a partition has one device", GraphStage::kPartitioned, OneDevice},
};

}  // namespace

Status VerifyGraph(const Graph& graph, GraphStage stage,
                   absl::string_view after) {
  for (const Invariant& invariant : kInvariants) {
    if (invariant.from > stage) continue;
    const Status status = invariant.check(graph);
    if (status.ok()) continue;
    return Prefix(
        absl::StrCat("graph invariant '", invariant.name, "' does not hold",
                     after.empty() ? "" : " after ", after, ": "),
        status);
  }
  return OkStatus();
}

}  // namespace millrace
