#include "millrace/pass/loop_frames.h"

#include "absl/container/flat_hash_map.h"

namespace millrace {

int LoopFrames::OutputFrame(const Graph& graph, NodeId id) const {
  const Node& node = *graph.node(id);
  const int frame = of_node[id];
  if (node.op->role == OpRole::kExit) return frames[frame].parent;
  if (node.op->role != OpRole::kEnter) return frame;
  const auto name = GetAttr<std::string>(node.attrs, "frame_name");
  for (size_t i = 1; i < frames.size(); ++i) {
    if (name.ok() && frames[i].name == *name) return static_cast<int>(i);
  }
  return frame;
}

StatusOr<LoopFrames> FindLoopFrames(const Graph& graph) {
  LoopFrames result;
  result.frames.emplace_back();
  result.of_node.assign(graph.num_ids(), -1);
  absl::flat_hash_map<std::string, int> by_name;
  MR_ASSIGN_OR_RETURN(const std::vector<NodeId> order, TopologicalOrder(graph));
  for (NodeId id : order) {
    const Node& node = *graph.node(id);
    int frame = -1;
    auto meet = [&](NodeId src) -> Status {
      if (src == kNoNode || result.of_node[src] < 0) return OkStatus();
      const int there = result.OutputFrame(graph, src);
      if (frame >= 0 && there != frame) {
        return InvalidArgument(
            "{{node ", node.name, "}} has inputs from different frames: '",
            result.frames[frame].name, "' and, by {{node ",
            graph.node(src)->name, "}}, '", result.frames[there].name, "'");
      }
      frame = there;
      return OkStatus();
    };
    for (const OutputRef& in : node.inputs) MR_RETURN_IF_ERROR(meet(in.node));
    for (NodeId src : node.control_inputs) MR_RETURN_IF_ERROR(meet(src));
    if (frame < 0) frame = 0;
    result.of_node[id] = frame;
    if (node.op->role == OpRole::kLoopCond) result.frames[frame].condition = id;
    if (node.op->role != OpRole::kEnter) continue;
    MR_ASSIGN_OR_RETURN(std::string name,
                        GetAttr<std::string>(node.attrs, "frame_name"));
    auto [it, added] =
        by_name.try_emplace(name, static_cast<int>(result.frames.size()));
    if (!added) continue;
    LoopFrame child;
    child.name = std::move(name);
    child.parent = frame;
    MR_ASSIGN_OR_RETURN(child.parallel_iterations,
                        GetAttr<int64_t>(node.attrs, "parallel_iterations"));
    result.frames.push_back(std::move(child));
  }
  return result;
}

}  // namespace millrace
