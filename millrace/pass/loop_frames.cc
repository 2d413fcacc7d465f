#include "millrace/pass/loop_frames.h"

#include "absl/container/flat_hash_map.h"

namespace millrace {

int LoopFrames::OutputFrame(const Graph& graph, NodeId id) const {
  const Node& node = *graph.node(id);
  if (node.op->role == OpRole::kExit) return frames[of_node[id]].parent;
  return node.op->role == OpRole::kEnter ? entered[id] : of_node[id];
}

namespace {

constexpr int kMaxLoopDepth = 1000;

// Returns the frame of the inputs of a node, of those whose frame is known; -1
// if none is. Requires the same of all, and of the node's own if it is known.
StatusOr<int> FrameOfInputs(const Graph& graph, const LoopFrames& known,
                            const Node& node) {
  int frame = known.of_node[node.id];
  auto meet = [&](NodeId src) -> Status {
    if (src == kNoNode || known.of_node[src] < 0) return OkStatus();
    const int there = known.OutputFrame(graph, src);
    if (frame >= 0 && there != frame) {
      return InvalidArgument(
          "{{node ", node.name, "}} has inputs from different frames: '",
          known.frames[frame].name, "' and, by {{node ", graph.node(src)->name,
          "}}, '", known.frames[there].name, "'");
    }
    frame = there;
    return OkStatus();
  };
  for (const OutputRef& in : node.inputs) MR_RETURN_IF_ERROR(meet(in.node));
  for (NodeId src : node.control_inputs) MR_RETURN_IF_ERROR(meet(src));
  return frame;
}

}  // namespace

StatusOr<LoopFrames> FindLoopFrames(const Graph& graph) {
  LoopFrames result;
  result.frames.emplace_back();
  result.of_node.assign(graph.num_ids(), -1);
  result.entered.assign(graph.num_ids(), 0);
  absl::flat_hash_map<std::string, int> by_name;
  MR_ASSIGN_OR_RETURN(const std::vector<NodeId> order, TopologicalOrder(graph));
  for (NodeId id : order) {
    const Node& node = *graph.node(id);
    MR_ASSIGN_OR_RETURN(int frame, FrameOfInputs(graph, result, node));
    if (frame < 0) frame = 0;
    result.of_node[id] = frame;
    if (node.op->role == OpRole::kLoopCond) result.frames[frame].condition = id;
    if (node.op->role != OpRole::kEnter) continue;
    MR_ASSIGN_OR_RETURN(std::string name,
                        GetAttr<std::string>(node.attrs, "frame_name"));
    auto [it, added] =
        by_name.try_emplace(name, static_cast<int>(result.frames.size()));
    result.entered[id] = it->second;
    if (!added) continue;
    LoopFrame child;
    child.name = std::move(name);
    child.parent = frame;
    child.depth = result.frames[frame].depth + 1;
    if (child.depth > kMaxLoopDepth) {
      return InvalidArgument("{{node ", node.name,
                             "}} enters a while loop within more than ",
                             kMaxLoopDepth, " others");
    }
    MR_ASSIGN_OR_RETURN(child.parallel_iterations,
                        GetAttr<int64_t>(node.attrs, "parallel_iterations"));
    result.frames.push_back(std::move(child));
  }
  // The back edges, whose frames are known only now.
  for (NodeId id : order) {
    const Node& node = *graph.node(id);
    if (node.op->role != OpRole::kMerge) continue;
    MR_RETURN_IF_ERROR(FrameOfInputs(graph, result, node).status());
  }
  return result;
}

}  // namespace millrace
