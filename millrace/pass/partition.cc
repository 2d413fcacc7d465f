#include "millrace/pass/partition.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "millrace/graph/builtin_ops.h"
#include "millrace/graph/device_name.h"
#include "millrace/graph/verifier.h"
#include "millrace/pass/control_loops.h"
#include "millrace/pass/loop_frames.h"

namespace millrace {
namespace {

// Lives for one call.
class Partitioner {
 public:
  Partitioner(const Graph& graph, const PartitionOptions& options)
      : options_(options), graph_(graph.Clone()) {}

  StatusOr<std::vector<Partition>> Run() {
    MR_ASSIGN_OR_RETURN(frames_, FindLoopFrames(graph_));
    if (frames_.frames.size() > 1) {
      MR_ASSIGN_OR_RETURN(triggers_, AddControlLoops(&graph_, &frames_));
    }
    MR_RETURN_IF_ERROR(CopyNodes());
    for (NodeId id = 0; id < graph_.num_ids(); ++id) {
      if (graph_.node(id)) MR_RETURN_IF_ERROR(ConnectData(*graph_.node(id)));
    }
    for (NodeId id = 0; id < graph_.num_ids(); ++id) {
      if (graph_.node(id)) MR_RETURN_IF_ERROR(ConnectControl(*graph_.node(id)));
    }
    for (const auto& [recv, trigger] : recv_triggers_) {
      recv.first->graph.AddControlEdge(copies_[trigger].node->id, recv.second);
    }
    for (const Partition& partition : partitions_) {
      DebugVerifyGraph(partition.graph, GraphStage::kPartitioned,
                       "partitioning");
    }
    return std::move(partitions_);
  }

 private:
  struct Copy {
    int partition = -1;
    Node* node = nullptr;
  };

  Status CopyNodes() {
    copies_.resize(graph_.num_ids());
    absl::flat_hash_map<std::string, int> by_device;
    // Two passes: graphs must not move while nodes are added to them.
    for (NodeId id = 0; id < graph_.num_ids(); ++id) {
      const Node* node = graph_.node(id);
      if (node == nullptr) continue;
      if (node->assigned_device.empty()) {
        return Internal("{{node ", node->name, "}} was not placed");
      }
      auto [it, added] = by_device.try_emplace(
          node->assigned_device, static_cast<int>(partitions_.size()));
      if (added) {
        partitions_.push_back({node->assigned_device, Graph(&graph_.ops())});
        partitions_.back().graph.library() = graph_.library();
        partitions_.back().graph.versions() = graph_.versions();
      }
      copies_[id].partition = it->second;
    }
    for (NodeId id = 0; id < graph_.num_ids(); ++id) {
      const Node* node = graph_.node(id);
      if (node == nullptr) continue;
      MR_ASSIGN_OR_RETURN(
          copies_[id].node,
          partitions_[copies_[id].partition].graph.AddNodeUnconnected(
              node->name, node->op->name, node->attrs, node->assigned_device));
      copies_[id].node->assigned_device = node->assigned_device;
    }
    return OkStatus();
  }

  Status ConnectData(const Node& node) {
    const Copy& dst = copies_[node.id];
    Graph& graph = partitions_[dst.partition].graph;
    for (int i = 0; i < node.num_inputs(); ++i) {
      const OutputRef in = node.inputs[i];
      const Copy& src = copies_[in.node];
      OutputRef here{kNoNode, in.port};
      if (src.partition == dst.partition) {
        here.node = src.node->id;
      } else {
        if (IsRef(node.input_types[i])) {
          return InvalidArgument("Reference edge between devices: input ", i,
                                 " of {{node ", node.name, "}} on ",
                                 node.assigned_device, " comes from {{node ",
                                 graph_.node(in.node)->name, "}} on ",
                                 graph_.node(in.node)->assigned_device);
        }
        MR_ASSIGN_OR_RETURN(here,
                            Receive(in, dst.partition, ReadAfter(node, in)));
      }
      MR_RETURN_IF_ERROR(graph.SetInput(dst.node, i, here));
    }
    return OkStatus();
  }

  // After all data edges: a node whose value is received here anyway has run
  // when the value arrives.
  Status ConnectControl(const Node& node) {
    const Copy& dst = copies_[node.id];
    Graph& graph = partitions_[dst.partition].graph;
    for (NodeId control : node.control_inputs) {
      const Copy& src = copies_[control];
      if (src.partition == dst.partition) {
        graph.AddControlEdge(src.node->id, dst.node->id);
      } else {
        MR_ASSIGN_OR_RETURN(
            const OutputRef recv,
            Receive({control, TravellingPort(control, dst.partition)},
                    dst.partition));
        graph.AddControlEdge(recv.node, dst.node->id);
      }
    }
    return OkStatus();
  }

  // Returns an output of the node that `partition` receives, otherwise
  // kControlPort. One output of a Switch is dead although the node has run.
  int32_t TravellingPort(NodeId id, int partition) const {
    const Node& node = *graph_.node(id);
    if (node.op->role == OpRole::kSwitch) return kControlPort;
    for (int32_t port = 0; port < node.num_outputs(); ++port) {
      if (received_.contains({OutputRef{id, port}, partition})) return port;
    }
    return kControlPort;
  }

  // Returns the nodes after which `node` reads its input `in` on another
  // device. A variable may be written until it is read, and the control inputs
  // of `node` are such writes: its value must not be sent before them.
  std::vector<NodeId> ReadAfter(const Node& node, OutputRef in) const {
    std::vector<NodeId> nodes;
    if (!IsRef(graph_.node(in.node)->output_types[in.port]) ||
        frames_.OutputFrame(graph_, in.node) != 0) {
      return nodes;
    }
    for (const NodeId control : node.control_inputs) {
      if (frames_.OutputFrame(graph_, control) == 0) nodes.push_back(control);
    }
    return nodes;
  }

  // Returns the node in `partition` that has the value of `src` (or, for
  // kControlPort, runs after it), which is made when it is first needed. A
  // value that must be read after other nodes is sent for one receiver only,
  // since those nodes may depend on other receivers.
  StatusOr<OutputRef> Receive(OutputRef src, int partition,
                              const std::vector<NodeId>& after = {}) {
    const auto key = std::make_pair(src, partition);
    const auto found = received_.find(key);
    if (after.empty() && found != received_.end()) return found->second;

    const Copy from = copies_[src.node];
    Graph& sender = partitions_[from.partition].graph;
    Graph& receiver = partitions_[partition].graph;
    const std::string& send_device = partitions_[from.partition].device;
    const std::string& recv_device = partitions_[partition].device;

    OutputRef value{from.node->id, src.port};
    DataType type = DataType::kFloat;
    if (src.port == kControlPort) {
      // An empty tensor that is sent after the node has run.
      MR_ASSIGN_OR_RETURN(
          Node* const token,
          sender.AddNode(
              NewName(sender, from.node->name), builtin::kConst, {},
              AttrMap({{"dtype", DataType::kFloat},
                       {"value", Tensor::Zeros(DataType::kFloat, {0})}}),
              send_device));
      token->assigned_device = send_device;
      sender.AddControlEdge(from.node->id, token->id);
      value = {token->id, 0};
    } else {
      type = RemoveRef(from.node->output_types[src.port]);
    }
    const bool narrow = options_.bfloat16_sendrecv &&
                        type == DataType::kFloat && src.port != kControlPort &&
                        DifferentTasks(send_device, recv_device);
    const DataType wire_type = narrow ? DataType::kBfloat16 : type;
    if (narrow) {
      MR_ASSIGN_OR_RETURN(value, AddCast(sender, from.node->name, value, type,
                                         wire_type, send_device));
    }
    const std::string tensor_name =
        absl::StrCat("edge_", next_edge_++, "_", from.node->name);
    const auto attrs = [&](absl::string_view type_attr) {
      AttrMap map({{"tensor_name", tensor_name},
                   {"send_device", send_device},
                   {"send_device_incarnation",
                    static_cast<int64_t>(options_.incarnation(send_device))},
                   {"recv_device", recv_device},
                   {"client_terminated", false}});
      map.Set(type_attr, wire_type);
      return map;
    };
    MR_ASSIGN_OR_RETURN(
        Node* const send,
        sender.AddNode(NewName(sender, from.node->name), builtin::kSend,
                       {&value, 1}, attrs("T"), send_device));
    send->assigned_device = send_device;
    const NodeId first = narrow ? value.node : send->id;  // reads the variable
    for (const NodeId node : after) {
      NodeId here = copies_[node].node->id;
      if (copies_[node].partition != from.partition) {
        MR_ASSIGN_OR_RETURN(const OutputRef token,
                            Receive({node, kControlPort}, from.partition));
        here = token.node;
      }
      sender.AddControlEdge(here, first);
    }
    MR_ASSIGN_OR_RETURN(
        Node* const recv,
        receiver.AddNode(NewName(receiver, from.node->name), builtin::kRecv, {},
                         attrs("tensor_type"), recv_device));
    recv->assigned_device = recv_device;
    const int frame = frames_.OutputFrame(graph_, src.node);
    if (frame != 0) {
      const auto trigger = triggers_.find({frame, recv_device});
      if (trigger == triggers_.end()) {
        return Internal("no control loop for frame '",
                        frames_.frames[frame].name, "' on ", recv_device);
      }
      recv_triggers_.push_back(
          {{&partitions_[partition], recv->id}, trigger->second});
    }
    OutputRef result{recv->id, 0};
    if (narrow) {
      MR_ASSIGN_OR_RETURN(result, AddCast(receiver, from.node->name, result,
                                          wire_type, type, recv_device));
    }
    if (after.empty()) received_[key] = result;
    return result;
  }

  static bool DifferentTasks(const std::string& a, const std::string& b) {
    const auto pa = DeviceName::Parse(a);
    const auto pb = DeviceName::Parse(b);
    return pa.ok() && pb.ok() && !pa->SameTask(*pb);
  }

  StatusOr<OutputRef> AddCast(Graph& graph, const std::string& base,
                              OutputRef value, DataType from, DataType to,
                              const std::string& device) {
    MR_ASSIGN_OR_RETURN(
        Node* const cast,
        graph.AddNode(
            NewName(graph, base), builtin::kCast, {&value, 1},
            AttrMap({{"SrcT", from}, {"DstT", to}, {"Truncate", true}}),
            device));
    cast->assigned_device = device;
    return OutputRef{cast->id, 0};
  }

  // Names of added nodes are unique in the whole graph, so that a trace of all
  // partitions has no duplicates.
  std::string NewName(const Graph& graph, const std::string& base) {
    std::string name;
    do {
      name = absl::StrCat(base, "/_", next_name_++);
    } while (graph_.Find(name) != nullptr || graph.Find(name) != nullptr);
    return name;
  }

  const PartitionOptions& options_;
  Graph graph_;  // including control loops
  LoopFrames frames_;
  IterationTriggers triggers_;
  std::vector<Copy> copies_;
  std::vector<Partition> partitions_;
  absl::flat_hash_map<std::pair<OutputRef, int>, OutputRef> received_;
  std::vector<std::pair<std::pair<Partition*, NodeId>, NodeId>> recv_triggers_;
  int next_edge_ = 0;
  int next_name_ = 0;
};

}  // namespace

StatusOr<std::vector<Partition>> PartitionGraph(
    const Graph& graph, const PartitionOptions& options) {
  return Partitioner(graph, options).Run();
}

}  // namespace millrace
