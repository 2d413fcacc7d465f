#include "millrace/pass/control_loops.h"

#include <algorithm>
#include <map>
#include <set>

#include "millrace/graph/builtin_ops.h"
#include "millrace/graph/verifier.h"

namespace millrace {
namespace {

// Lives for one call.
class LoopAdder {
 public:
  LoopAdder(Graph* graph, LoopFrames* frames)
      : graph_(graph), frames_(frames) {}

  StatusOr<IterationTriggers> Run() {
    // The devices of each frame, including those of nested frames: a nested
    // loop needs the outer one on its devices, too. Ordered, so that names are
    // the same in each run.
    std::map<int, std::set<std::string>> devices;
    for (NodeId id = 0; id < graph_->num_ids(); ++id) {
      const Node* node = graph_->node(id);
      if (node == nullptr) continue;
      for (int f : {frames_->of_node[id], frames_->OutputFrame(*graph_, id)}) {
        for (; f > 0; f = frames_->frames[f].parent)
          devices[f].insert(node->assigned_device);
      }
    }
    for (auto& [frame, where] : devices) {
      if (where.size() < 2) continue;
      const NodeId condition = frames_->frames[frame].condition;
      if (condition == kNoNode) {
        return InvalidArgument(
            "A cross-device loop must have a loop condition: frame '",
            frames_->frames[frame].name, "' has no LoopCond");
      }
      for (const std::string& device : where) {
        MR_RETURN_IF_ERROR(Trigger(frame, device).status());
      }
    }
    DebugVerifyGraph(*graph_, GraphStage::kPlaced, "adding of control loops");
    return std::move(triggers_);
  }

 private:
  // Returns the Merge that runs once per iteration of `frame` on `device`.
  StatusOr<NodeId> Trigger(int frame, const std::string& device) {
    auto it = triggers_.find({frame, device});
    if (it != triggers_.end()) return it->second;
    const Node& condition = *graph_->node(frames_->frames[frame].condition);
    NodeId merge = kNoNode;
    if (condition.assigned_device == device) {
      for (NodeId id = 0; id < graph_->num_ids() && merge == kNoNode; ++id) {
        const Node* node = graph_->node(id);
        if (node && ClosesLoop(*node) && frames_->of_node[id] == frame &&
            node->assigned_device == device) {
          merge = id;
        }
      }
    }
    if (merge == kNoNode) {
      MR_ASSIGN_OR_RETURN(merge, AddLoop(frame, device));
    }
    triggers_[{frame, device}] = merge;
    return merge;
  }

  // Among the Merges in a frame, those of loop variables run in each iteration;
  // the others join branches.
  bool ClosesLoop(const Node& node) const {
    return std::any_of(
        node.inputs.begin(), node.inputs.end(), [&](const OutputRef& in) {
          return in.node != kNoNode && IsBackEdge(*graph_->node(in.node), node);
        });
  }

  StatusOr<NodeId> AddLoop(int frame, const std::string& device) {
    const LoopFrame layout = frames_->frames[frame];
    const int outer = layout.parent;
    NodeId outer_trigger = kNoNode;
    if (outer != 0) {
      MR_ASSIGN_OR_RETURN(outer_trigger, Trigger(outer, device));
    }
    MR_ASSIGN_OR_RETURN(Node* const value,
                        Add(builtin::kConst, outer, device, {},
                            AttrMap({{"dtype", DataType::kInt32},
                                     {"value", Tensor::Scalar<int32_t>(0)}})));
    if (outer_trigger != kNoNode)
      graph_->AddControlEdge(outer_trigger, value->id);
    MR_ASSIGN_OR_RETURN(
        Node* const enter,
        Add(builtin::kEnter, outer, device, {OutputRef{value->id, 0}},
            AttrMap({{"T", DataType::kInt32},
                     {"frame_name", layout.name},
                     {"is_constant", false},
                     {"parallel_iterations", layout.parallel_iterations}})));
    // The Merge's second input is the NextIteration, which comes last.
    MR_ASSIGN_OR_RETURN(
        Node* const merge,
        graph_->AddNodeUnconnected(
            graph_->UniqueName("_cloop"), builtin::kMerge,
            AttrMap({{"T", DataType::kInt32}, {"N", int64_t{2}}}), device));
    Place(merge, frame, device);
    MR_RETURN_IF_ERROR(graph_->SetInput(merge, 0, {enter->id, 0}));
    MR_ASSIGN_OR_RETURN(
        Node* const branch,
        Add(builtin::kSwitch, frame, device,
            {OutputRef{merge->id, 0}, OutputRef{layout.condition, 0}},
            AttrMap({{"T", DataType::kInt32}})));
    MR_ASSIGN_OR_RETURN(
        Node* const next,
        Add(builtin::kNextIteration, frame, device, {OutputRef{branch->id, 1}},
            AttrMap({{"T", DataType::kInt32}})));
    MR_RETURN_IF_ERROR(graph_->SetInput(merge, 1, {next->id, 0}));
    return merge->id;
  }

  StatusOr<Node*> Add(absl::string_view op, int frame,
                      const std::string& device, std::vector<OutputRef> inputs,
                      AttrMap attrs) {
    MR_ASSIGN_OR_RETURN(Node* const node,
                        graph_->AddNode(graph_->UniqueName("_cloop"), op,
                                        inputs, std::move(attrs), device));
    Place(node, frame, device);
    return node;
  }

  void Place(Node* node, int frame, const std::string& device) {
    node->assigned_device = device;
    frames_->of_node.resize(graph_->num_ids(), 0);
    frames_->of_node[node->id] = frame;
    frames_->entered.resize(graph_->num_ids(), frame);
  }

  Graph* const graph_;
  LoopFrames* const frames_;
  IterationTriggers triggers_;
};

}  // namespace

StatusOr<IterationTriggers> AddControlLoops(Graph* graph, LoopFrames* frames) {
  return LoopAdder(graph, frames).Run();
}

}  // namespace millrace
