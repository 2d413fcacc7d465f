// Compiles a partition into a Plan.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_split.h"
#include "millrace/exec/node_kind.h"
#include "millrace/exec/plan.h"

namespace millrace {
namespace {

constexpr int kMaxLoopDepth = 1000;
// What the iterations of a frame that are alive at once may take beside their
// values: fewer of them run in parallel if each takes much.
constexpr int64_t kIterationBytes = 256 << 20;

}  // namespace

// Lives for one Build.
class PlanBuilder {
 public:
  PlanBuilder(const Graph& graph, Device& device, KernelSource kernels)
      : graph_(graph), kernels_(kernels), plan_(new Plan(device)) {}

  StatusOr<std::shared_ptr<const Plan>> Run() {
    MR_ASSIGN_OR_RETURN(order_, TopologicalOrder(graph_));
    NumberNodes();
    MR_RETURN_IF_ERROR(AssignFrames());
    for (NodeId id : order_) MR_RETURN_IF_ERROR(FillNode(*graph_.node(id)));
    plan_->all_cheap_ &= !plan_->has_loops();
    LayOutFrames();
    ConnectEdges();
    plan_->costs_.reset(new std::atomic<int64_t>[plan_->nodes_.size()]);
    for (size_t i = 0; i < plan_->nodes_.size(); ++i) {
      // A kernel counts as expensive until it is measured, unless it only
      // enqueues work.
      const bool enqueues = plan_->device_.has_own_memory();
      plan_->costs_[i].store(plan_->nodes_[i].cheap || enqueues ? 0 : 100'000,
                             std::memory_order_relaxed);
    }
    return std::shared_ptr<const Plan>(std::move(plan_));
  }

 private:
  // Ids of the graph may have gaps; indices of the plan have none.
  void NumberNodes() {
    number_.assign(graph_.num_ids(), -1);
    for (size_t i = 0; i < order_.size(); ++i)
      number_[order_[i]] = static_cast<int32_t>(i);
    plan_->nodes_.resize(order_.size());
  }

  PlanNode& At(NodeId id) { return plan_->nodes_[number_[id]]; }

  // Follows the edges: an Enter leads into its frame, an Exit out of it.
  Status AssignFrames() {
    frame_of_.assign(order_.size(), -1);
    plan_->frames_.emplace_back();
    for (NodeId id : order_) {
      const Node& node = *graph_.node(id);
      MR_ASSIGN_OR_RETURN(const int32_t frame, InputFrame(node));
      frame_of_[number_[id]] = frame;
      const NodeKind kind = KindOf(*node.op);
      if (kind == NodeKind::kEnter) {
        MR_ASSIGN_OR_RETURN(At(id).child_frame, EnteredFrame(node, frame));
        ++plan_->frames_[At(id).child_frame].num_enters;
        MR_RETURN_IF_ERROR(CheckLoopDepth(node, At(id).child_frame));
      } else if (kind == NodeKind::kRetval && frame != 0) {
        return InvalidArgument(
            "{{node ", node.name, "}} is inside of the while loop '",
            plan_->frames_[frame].name,
            "': it has a value in each iteration, of which none is the result");
      } else if ((kind == NodeKind::kExit ||
                  kind == NodeKind::kNextIteration) &&
                 frame == 0) {
        return InvalidArgument(
            kind == NodeKind::kExit
                ? "Invalid Exit op: Cannot find a corresponding Enter op.; "
                : "",
            "{{node ", node.name, "}} is of op ", node.op->name,
            " outside of any while loop");
      }
    }
    // The back edges, whose frames are known only now: an iteration's memory is
    // laid out for its own frame.
    for (NodeId id : order_) {
      const Node& node = *graph_.node(id);
      if (KindOf(*node.op) == NodeKind::kMerge) {
        MR_RETURN_IF_ERROR(InputFrame(node).status());
      }
    }
    return OkStatus();
  }

  // States of frames within frames are destroyed recursively.
  Status CheckLoopDepth(const Node& enter, int32_t frame) const {
    int depth = 0;
    for (; frame != 0; frame = plan_->frames_[frame].parent) ++depth;
    if (depth <= kMaxLoopDepth) return OkStatus();
    return InvalidArgument("{{node ", enter.name,
                           "}} enters a while loop within more than ",
                           kMaxLoopDepth, " others");
  }

  // Returns the frame of the node's inputs, of those whose frame is known; a
  // node without inputs is in the root.
  StatusOr<int32_t> InputFrame(const Node& node) const {
    int32_t frame = std::max(frame_of_[number_[node.id]], 0);
    bool known = frame_of_[number_[node.id]] >= 0;
    auto meet = [&](NodeId src) -> Status {
      const int32_t there = OutputFrame(src);
      if (there < 0) return OkStatus();  // a back edge, not visited yet
      if (known && there != frame) {
        return InvalidArgument(
            "{{node ", node.name, "}} has inputs from different frames: '",
            plan_->frames_[frame].name, "' and, by {{node ",
            graph_.node(src)->name, "}}, '", plan_->frames_[there].name, "'");
      }
      frame = there;
      known = true;
      return OkStatus();
    };
    for (const OutputRef& in : node.inputs) MR_RETURN_IF_ERROR(meet(in.node));
    for (NodeId src : node.control_inputs) MR_RETURN_IF_ERROR(meet(src));
    return frame;
  }

  // Returns the frame that an Enter in `parent` leads into, which the first
  // Enter of its name creates.
  StatusOr<int32_t> EnteredFrame(const Node& enter, int32_t parent) {
    MR_ASSIGN_OR_RETURN(const std::string name,
                        GetAttr<std::string>(enter.attrs, "frame_name"));
    if (name.empty()) {
      return InvalidArgument("The Enter {{node ", enter.name,
                             "}} must have a frame name.");
    }
    MR_ASSIGN_OR_RETURN(const int32_t parallel,
                        GetAttr<int32_t>(enter.attrs, "parallel_iterations"));
    const auto [it, added] = frame_by_name_.try_emplace(
        name, static_cast<int32_t>(plan_->frames_.size()));
    if (added) {
      PlanFrame child;
      child.name = name;
      child.parent = parent;
      child.parallel_iterations = std::clamp<int32_t>(parallel, 1, 1 << 20);
      plan_->frames_.push_back(std::move(child));
    } else if (plan_->frames_[it->second].parent != parent) {
      return InvalidArgument("{{node ", enter.name, "}} enters frame '", name,
                             "' from another frame than its other Enter nodes");
    }
    return it->second;
  }

  // Returns the frame of a node's outputs; -1 if it is not known yet.
  int32_t OutputFrame(NodeId id) const {
    const int32_t frame = frame_of_[number_[id]];
    if (frame < 0) return -1;
    switch (KindOf(*graph_.node(id)->op)) {
      case NodeKind::kEnter:
        return plan_->nodes_[number_[id]].child_frame;
      case NodeKind::kExit:
        return plan_->frames_[frame].parent;
      default:
        return frame;
    }
  }

  // Returns the index of the argument or result that a node stands for. Each
  // run allocates tables of all of them.
  static StatusOr<int32_t> Slot(const Node& node) {
    constexpr int32_t kMaxSlots = 1 << 20;
    MR_ASSIGN_OR_RETURN(const auto index,
                        GetAttr<int32_t>(node.attrs, "index"));
    if (index >= 0 && index < kMaxSlots) return index;
    return InvalidArgument("{{node ", node.name, "}} of op ", node.op->name,
                           " has index ", index, ", expected one in [0, ",
                           kMaxSlots, ")");
  }

  // `names` are the names of adjacent arguments, separated by ",".
  static Status SetViews(const Node& node, absl::string_view names,
                         PlanNode* n) {
    for (absl::string_view name : absl::StrSplit(names, ", ")) {
      MR_ASSIGN_OR_RETURN(const ArgRange views,
                          FindArgRange(node.op->inputs, node.attrs, name));
      if (n->num_views == 0) n->first_view = views.begin;
      n->num_views = views.end - n->first_view;
    }
    return OkStatus();
  }

  std::shared_ptr<const NodeInfo> InfoOf(const Node& node) const {
    auto info = std::make_shared<NodeInfo>();
    info->name = node.name;
    info->device = plan_->device_.name();
    info->op = node.op;
    info->attrs = node.attrs;
    info->input_types = node.input_types;
    info->output_types = node.output_types;
    info->fused = node.fused;
    if (node.num_inputs() > 0) {
      info->first_input = graph_.node(node.inputs[0].node)->name;
    }
    for (int i = 0; i < node.num_inputs(); ++i) {
      const Node& from = *graph_.node(node.inputs[i].node);
      if (from.op->role != OpRole::kConstant) continue;
      info->constant_inputs.resize(static_cast<size_t>(i) + 1);
      info->constant_inputs[static_cast<size_t>(i)] = true;
    }
    return info;
  }

  Status FillNode(const Node& node) {
    PlanNode& n = At(node.id);
    std::shared_ptr<const NodeInfo> info = InfoOf(node);
    n.kind = KindOf(*node.op);
    n.frame = frame_of_[number_[node.id]];
    n.num_inputs = node.num_inputs();
    n.num_outputs = node.num_outputs();
    n.checks_refs = !node.op->Is(kAllowsUninitialized);
    switch (n.kind) {
      case NodeKind::kNoOp:
      case NodeKind::kControlTrigger:
      case NodeKind::kMerge:
        n.cheap = true;
        break;
      case NodeKind::kConstant: {
        MR_ASSIGN_OR_RETURN(Tensor value, GetAttr<Tensor>(node.attrs, "value"));
        n.constant = static_cast<int32_t>(plan_->constants_.size());
        plan_->constants_.push_back(std::move(value));
        n.cheap = true;
        break;
      }
      case NodeKind::kArg: {
        MR_ASSIGN_OR_RETURN(n.arg, Slot(node));
        plan_->num_args_ = std::max(plan_->num_args_, n.arg + 1);
        n.cheap = true;
        break;
      }
      case NodeKind::kRetval: {
        MR_ASSIGN_OR_RETURN(n.retval, Slot(node));
        if (!retvals_.insert(n.retval).second) {
          return InvalidArgument("{{node ", node.name,
                                 "}} is another one with the index ", n.retval);
        }
        plan_->num_retvals_ = std::max(plan_->num_retvals_, n.retval + 1);
        n.cheap = true;
        break;
      }
      case NodeKind::kEnter: {
        MR_ASSIGN_OR_RETURN(n.constant_enter,
                            GetAttr<bool>(node.attrs, "is_constant"));
        [[fallthrough]];
      }
      default:
        MR_RETURN_IF_ERROR(SetKernel(node, &info, &n));
    }
    plan_->all_cheap_ &= n.cheap;
    n.info = info.get();
    plan_->infos_.push_back(std::move(info));
    return OkStatus();
  }

  // `info` becomes the object that the kernel refers to.
  Status SetKernel(const Node& node, std::shared_ptr<const NodeInfo>* info,
                   PlanNode* n) {
    StatusOr<SharedKernel> made = kernels_(*info, plan_->device_);
    if (!made.ok()) {
      return Annotate(made.status(),
                      absl::StrCat("\n\t [[{{node ", node.name, "}}]]"));
    }
    n->kernel = made->kernel.get();
    n->is_async = made->kernel->is_async();
    n->cheap = made->cheap;
    if (*made->views != '\0') {
      MR_RETURN_IF_ERROR(SetViews(node, made->views, n));
    }
    *info = made->info;
    plan_->kernels_.push_back(*std::move(made));
    return OkStatus();
  }

  // Sets the positions of nodes and their input slots within their frame.
  void LayOutFrames() {
    for (PlanNode& n : plan_->nodes_) {
      PlanFrame& f = plan_->frames_[n.frame];
      n.index_in_frame = f.num_nodes++;
      n.first_slot = f.num_slots;
      f.num_slots += n.num_inputs;
      if (n.kind == NodeKind::kMerge) n.merge = f.num_merges++;
    }
    for (PlanFrame& f : plan_->frames_) {
      f.initial_pending.resize(f.num_nodes);
      const int64_t bytes =
          int64_t{f.num_nodes} * static_cast<int64_t>(sizeof(uint64_t)) +
          int64_t{f.num_slots} * static_cast<int64_t>(sizeof(EdgeValue)) + 1;
      const int64_t most = std::max<int64_t>(kIterationBytes / bytes, 1);
      f.parallel_iterations =
          static_cast<int32_t>(std::min<int64_t>(f.parallel_iterations, most));
    }
  }

  void ConnectEdges() {
    for (NodeId id : order_) {
      const Node& node = *graph_.node(id);
      PlanNode& n = At(id);
      n.first_edge = static_cast<int32_t>(plan_->edges_.size());
      for (const OutEdge& e : node.out_edges) {
        PlanEdge edge;
        edge.dst = number_[e.dst];
        edge.src_port = e.port;
        if (e.port != kControlPort)
          edge.slot = At(e.dst).first_slot + e.dst_port;
        plan_->edges_.push_back(edge);
      }
      n.num_edges = static_cast<int32_t>(plan_->edges_.size()) - n.first_edge;
      MarkLastConsumers(n);
      const uint32_t pending = InitialPending(node, n);
      n.single_dependency = n.kind != NodeKind::kMerge && pending == 1;
      plan_->frames_[n.frame].initial_pending[n.index_in_frame] = pending;
      if (pending == 0) plan_->roots_.push_back(number_[id]);
    }
  }

  void MarkLastConsumers(const PlanNode& n) {
    std::vector<bool> seen(n.num_outputs, false);
    for (int32_t i = n.first_edge + n.num_edges - 1; i >= n.first_edge; --i) {
      PlanEdge& e = plan_->edges_[i];
      if (e.src_port == kControlPort || seen[e.src_port]) continue;
      seen[e.src_port] = true;
      e.last = true;
    }
  }

  // Returns the initial value in the format of IterationStorage::pending.
  static uint32_t InitialPending(const Node& node, const PlanNode& n) {
    const auto controls = static_cast<uint32_t>(node.control_inputs.size());
    if (n.kind == NodeKind::kMerge) return 1 + 2 * controls;
    return static_cast<uint32_t>(n.num_inputs) + controls;
  }

  const Graph& graph_;
  KernelSource kernels_;
  std::shared_ptr<Plan> plan_;
  std::vector<NodeId> order_;
  std::vector<int32_t> number_;    // by node id
  std::vector<int32_t> frame_of_;  // by index
  absl::flat_hash_map<std::string, int32_t> frame_by_name_;
  absl::flat_hash_set<int32_t> retvals_;
};

StatusOr<std::shared_ptr<const Plan>> Plan::Build(const Graph& graph,
                                                  Device& device,
                                                  KernelSource kernels,
                                                  const PlanOptions& options) {
  if (!device.has_own_memory()) {
    return PlanBuilder(graph, device, kernels).Run();
  }
  if (options.table == nullptr) {
    return Internal("the plan of ", device.name(),
                    " needs the table of kernels");
  }
  MR_ASSIGN_OR_RETURN(
      const Graph split,
      WithMemorySpaces(graph, device, *options.table, options.slots));
  return PlanBuilder(split, device, kernels).Run();
}

}  // namespace millrace
