#include "millrace/exec/memory_spaces.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "millrace/graph/builtin_ops.h"
#include "millrace/graph/device_name.h"
#include "millrace/graph/verifier.h"
#include "millrace/kernel/host_arguments.h"

namespace millrace {
namespace {

enum class Space : uint8_t {
  kHost,
  kDevice,
  kAny,  // the node takes the value where it lies
};

Space Of(bool host) { return host ? Space::kHost : Space::kDevice; }

// Lives for one call.
class MemorySpaces {
 public:
  MemorySpaces(const Graph& graph, const Device& device,
               const KernelTable& kernels, SlotMemory slots)
      : graph_(graph.Clone()),
        device_(device),
        kernels_(kernels),
        slots_(slots) {}

  StatusOr<Graph> Run() {
    nodes_.resize(static_cast<size_t>(graph_.num_ids()));
    std::vector<NodeId> receives;
    for (NodeId id = 0; id < graph_.num_ids(); ++id) {
      Node* const node = graph_.node(id);
      if (node == nullptr) continue;
      if (node->op->role == OpRole::kRecv) {
        receives.push_back(id);
      } else {
        MR_RETURN_IF_ERROR(Annotated(*node, FindSpaces(*node)));
      }
    }
    for (const NodeId id : receives) {
      Node& node = *graph_.node(id);
      MR_RETURN_IF_ERROR(Annotated(node, FindSpacesOfReceive(node)));
    }
    MR_RETURN_IF_ERROR(FindViews());
    // Copies are added behind the last of these.
    const NodeId end = graph_.num_ids();
    for (NodeId id = 0; id < end; ++id) {
      if (graph_.node(id) != nullptr) MR_RETURN_IF_ERROR(ConnectInputs(id));
    }
    // Nodes of a function run where it is called, whatever device they name.
    DebugVerifyGraph(graph_, GraphStage::kBuilt, "memory spaces");
    return std::move(graph_);
  }

 private:
  struct Spaces {
    std::vector<Space> inputs, outputs;
    bool in_variants_on_host = false;  // of a kernel of the CPU
    bool hands_on_views = false;
    bool may_be_view = false;
  };

  static Status Annotated(const Node& node, const Status& status) {
    if (status.ok()) return status;
    return Annotate(status, absl::StrCat("\n\t [[{{node ", node.name, "}}]]"));
  }

  Spaces& At(NodeId id) { return nodes_[static_cast<size_t>(id)]; }

  Status FindSpaces(Node& node) {
    Spaces& spaces = At(node.id);
    switch (node.op->role) {
      case OpRole::kNoOp:
      case OpRole::kControlTrigger:
        return OkStatus();
      case OpRole::kConstant:
        spaces.outputs = {Space::kHost};
        return OkStatus();
      case OpRole::kArg:
        spaces.outputs = {Of(slots_ == SlotMemory::kHost ||
                             LiesOnHost(node.output_types[0]))};
        return OkStatus();
      case OpRole::kRetval:
        spaces.inputs = {Of(slots_ != SlotMemory::kByType ||
                            LiesOnHost(node.input_types[0]))};
        return OkStatus();
      case OpRole::kSend: {
        MR_ASSIGN_OR_RETURN(const bool peer,
                            IsToPeer(node, "recv_device", node.input_types[0]));
        if (!peer) {
          MR_ASSIGN_OR_RETURN(node.op, graph_.LookupOp(builtin::kHostSend));
        }
        spaces.inputs = {peer ? Space::kAny : Space::kHost};
        return OkStatus();
      }
      default:
        return FindSpacesOfKernel(node);
    }
  }

  Status FindSpacesOfKernel(const Node& node) {
    MR_ASSIGN_OR_RETURN(
        const PlacedKernel placed,
        FindPlacedKernel(kernels_, device_.type(), *node.op, node.attrs,
                         node.input_types, node.output_types));
    Spaces& spaces = At(node.id);
    for (const bool h : placed.host.inputs) spaces.inputs.push_back(Of(h));
    for (const bool h : placed.host.outputs) spaces.outputs.push_back(Of(h));
    spaces.in_variants_on_host = placed.host.in_variants;
    spaces.hands_on_views =
        *placed.entry->views != '\0' || node.op->role == OpRole::kMerge;
    return OkStatus();
  }

  // Requires: the spaces of all other nodes are known.
  Status FindSpacesOfReceive(Node& node) {
    MR_ASSIGN_OR_RETURN(const bool peer,
                        IsToPeer(node, "send_device", node.output_types[0]));
    const bool wanted_here = std::any_of(
        node.out_edges.begin(), node.out_edges.end(), [&](const OutEdge& e) {
          return e.port != kControlPort &&
                 At(e.dst).inputs[static_cast<size_t>(e.dst_port)] !=
                     Space::kHost;
        });
    const bool host = !peer || !wanted_here;
    if (host) {
      MR_ASSIGN_OR_RETURN(node.op, graph_.LookupOp(builtin::kHostRecv));
    }
    At(node.id).outputs = {Of(host)};
    return OkStatus();
  }

  // Returns whether the device that `attr` names is another one of this kind in
  // this task, so that values of plain types pass between their memories.
  StatusOr<bool> IsToPeer(const Node& node, absl::string_view attr,
                          DataType type) const {
    if (!IsPlain(type)) return false;
    MR_ASSIGN_OR_RETURN(const std::string name,
                        GetAttr<std::string>(node.attrs, attr));
    const StatusOr<DeviceName> other = DeviceName::Parse(name);
    const DeviceName& here = device_.parsed_name();
    return other.ok() && other->SameTask(here) && other->type == here.type &&
           other->index != here.index;
  }

  Status ConnectInputs(NodeId id) {
    for (int i = 0; i < graph_.node(id)->num_inputs(); ++i) {
      Node* const node = graph_.node(id);
      const OutputRef from = node->inputs[static_cast<size_t>(i)];
      const Space wanted = At(id).inputs[static_cast<size_t>(i)];
      const Space given = At(from.node).outputs[static_cast<size_t>(from.port)];
      if (IsRef(node->input_types[static_cast<size_t>(i)])) continue;
      const bool leaves = LeavesTheDevice(*node);
      const bool variants =
          node->input_types[static_cast<size_t>(i)] == DataType::kVariant &&
          leaves != ComesToTheDevice(*graph_.node(from.node));
      if (!variants && (wanted == given || wanted == Space::kAny)) continue;
      const bool to_host = variants ? leaves : given == Space::kDevice;
      MR_ASSIGN_OR_RETURN(const OutputRef copy, CopyOf(from, to_host, *node));
      MR_RETURN_IF_ERROR(graph_.SetInput(graph_.node(id), i, copy));
    }
    return OkStatus();
  }

  // Variants lie in host memory, but tensors inside do not have to: these are
  // copied where variants leave the device, or come to it. Kernels of the CPU
  // that work with these tensors are outside.
  bool LeavesTheDevice(const Node& node) {
    return At(node.id).in_variants_on_host || node.op->role == OpRole::kSend ||
           (node.op->role == OpRole::kRetval && slots_ != SlotMemory::kByType);
  }
  bool ComesToTheDevice(const Node& node) {
    return At(node.id).in_variants_on_host || node.op->role == OpRole::kRecv ||
           node.op->role == OpRole::kConstant ||
           (node.op->role == OpRole::kArg && slots_ == SlotMemory::kHost);
  }

  // Returns the copy of `from` in the other memory for `reader`. A variable, or
  // a view of it, is read when its reader starts: its copy waits for what the
  // reader waits for, and is for that reader alone.
  StatusOr<OutputRef> CopyOf(OutputRef from, bool to_host, const Node& reader) {
    const bool waits =
        !reader.control_inputs.empty() && At(from.node).may_be_view;
    const auto found = copies_.find(from);
    if (!waits && found != copies_.end()) return found->second;
    const Node& source = *graph_.node(from.node);
    const DataType type =
        RemoveRef(source.output_types[static_cast<size_t>(from.port)]);
    std::vector<NodeId> after;
    if (waits) {
      after.assign(reader.control_inputs.begin(), reader.control_inputs.end());
    }
    MR_ASSIGN_OR_RETURN(
        Node* const copy,
        graph_.AddNode(graph_.UniqueName(absl::StrCat(
                           source.name, to_host ? "/_to_host" : "/_to_device")),
                       to_host ? builtin::kCopyToHost : builtin::kCopyToDevice,
                       {&from, 1}, AttrMap({{"T", type}}), device_.name(),
                       after));
    copy->assigned_device = device_.name();
    const OutputRef result{copy->id, 0};
    if (!waits) copies_[from] = result;
    return result;
  }

  // Finds the nodes whose results may be a variable or a view of one.
  Status FindViews() {
    MR_ASSIGN_OR_RETURN(const std::vector<NodeId> order,
                        TopologicalOrder(graph_));
    for (const NodeId id : order) {
      const Node& node = *graph_.node(id);
      bool view =
          std::any_of(node.output_types.begin(), node.output_types.end(),
                      [](DataType type) { return IsRef(type); });
      view |= node.op->role == OpRole::kRecv;
      view |= node.op->role == OpRole::kArg && slots_ != SlotMemory::kHost;
      for (const OutputRef& in : node.inputs) {
        view |= At(id).hands_on_views && At(in.node).may_be_view;
      }
      At(id).may_be_view = view;
    }
    return OkStatus();
  }

  Graph graph_;
  const Device& device_;
  const KernelTable& kernels_;
  const SlotMemory slots_;
  std::vector<Spaces> nodes_;  // by id
  absl::flat_hash_map<OutputRef, OutputRef> copies_;
};

}  // namespace

StatusOr<Graph> WithMemorySpaces(const Graph& graph, const Device& device,
                                 const KernelTable& kernels, SlotMemory slots) {
  return MemorySpaces(graph, device, kernels, slots).Run();
}

}  // namespace millrace
