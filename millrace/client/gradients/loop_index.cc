#include "millrace/client/gradients/loop_index.h"

namespace millrace {
namespace {

int Depth(const Branch* branch) { return branch ? branch->depth : 0; }

const Branch* Common(const Branch* a, const Branch* b) {
  while (a != b) {
    if (Depth(a) >= Depth(b)) {
      a = a->outer;
    } else {
      b = b->outer;
    }
  }
  return a;
}

bool IsLoopVariable(const Graph& graph, const Node& merge) {
  for (const OutputRef& in : merge.inputs) {
    if (in.node == kNoNode) return true;  // a loop that is not closed yet
    const OpRole kind = graph.node(in.node)->op->role;
    if (kind == OpRole::kEnter || kind == OpRole::kNextIteration) return true;
  }
  return false;
}

// Returns a condition without the Identity nodes after it.
OutputRef Origin(const Graph& graph, OutputRef value) {
  for (const Node* node = graph.node(value.node);
       node->op->law == Law::kPassesOn; node = graph.node(value.node)) {
    value = node->inputs[0];
  }
  return value;
}

}  // namespace

StatusOr<LoopIndex> LoopIndex::Make(const Graph& graph) {
  LoopIndex index;
  index.loops_.emplace_back();
  index.info_.resize(static_cast<size_t>(graph.num_ids()));
  MR_ASSIGN_OR_RETURN(const std::vector<NodeId> order, TopologicalOrder(graph));
  for (NodeId id : order) index.AddNode(graph, *graph.node(id));
  return index;
}

const LoopIndex::NodeInfo& LoopIndex::Find(NodeId id) const {
  if (static_cast<size_t>(id) < info_.size())
    return info_[static_cast<size_t>(id)];
  static constexpr NodeInfo kNone;
  const auto it = added_.find(id);
  return it == added_.end() ? kNone : it->second;
}

bool LoopIndex::Has(NodeId id) const {
  return static_cast<size_t>(id) < info_.size() || added_.contains(id);
}

void LoopIndex::Add(NodeId id, int loop, const Branch* branch) {
  added_[id] = {.loop = loop, .output_loop = loop, .branch = branch};
}

const Branch* LoopIndex::BranchOf(OutputRef output) const {
  const NodeInfo& info = Find(output.node);
  if (info.taken[0] && output.port >= 0 && output.port < 2)
    return info.taken[output.port];
  return info.branch;
}

bool LoopIndex::Encloses(int outer, int inner) const {
  while (loops_[inner].depth > loops_[outer].depth) inner = loops_[inner].outer;
  return inner == outer;
}

int LoopIndex::LoopEntered(const Node& enter, int outer) {
  const auto name = GetAttr<std::string>(enter.attrs, "frame_name");
  const auto parallel = GetAttr<int64_t>(enter.attrs, "parallel_iterations");
  const auto [it, added] = by_name_.try_emplace(
      {outer, name.ok() ? *name : ""}, static_cast<int>(loops_.size()));
  if (added) {
    Loop loop;
    loop.name = it->first.second;
    loop.outer = outer;
    loop.depth = loops_[outer].depth + 1;
    if (parallel.ok()) loop.parallel_iterations = *parallel;
    loops_.push_back(std::move(loop));
  }
  return it->second;
}

void LoopIndex::AddBranches(const Graph& graph, const Node& node,
                            NodeInfo* info) {
  const OutputRef pred = Origin(graph, node.inputs[1]);
  if (graph.node(pred.node)->op->role == OpRole::kLoopCond) return;
  for (int32_t port = 0; port < 2; ++port) {
    const Branch*& known = branch_of_[{info->branch, pred, port}];
    if (!known) {
      branches_.push_back({info->branch, pred, port, Depth(info->branch) + 1});
      known = &branches_.back();
    }
    info->taken[port] = known;
  }
}

void LoopIndex::AddNode(const Graph& graph, const Node& node) {
  NodeInfo info;
  const OpRole kind = node.op->role;
  const bool is_variable =
      kind == OpRole::kMerge && IsLoopVariable(graph, node);
  const auto meet = [&](NodeId src) {
    const int there = Find(src).output_loop;
    if (loops_[there].depth > loops_[info.loop].depth) info.loop = there;
  };
  for (const OutputRef& in : node.inputs) {
    if (in.node != kNoNode) meet(in.node);
  }
  for (NodeId src : node.control_inputs) meet(src);
  // An output is alive where all inputs are: in the innermost of their
  // branches. A Merge ends branches.
  bool first = true;
  const auto enter = [&](OutputRef in) {
    if (in.node == kNoNode || Find(in.node).output_loop != info.loop) return;
    const Branch* branch = BranchOf(in);
    if (kind == OpRole::kMerge) {
      info.branch = first ? branch : Common(info.branch, branch);
    } else if (Depth(branch) > Depth(info.branch)) {
      info.branch = branch;
    }
    first = false;
  };
  if (!is_variable) {
    for (const OutputRef& in : node.inputs) enter(in);
    if (kind != OpRole::kMerge) {
      for (NodeId src : node.control_inputs) enter({src, kControlPort});
    }
  }
  info.output_loop = info.loop;
  switch (kind) {
    case OpRole::kEnter: {
      info.output_loop = LoopEntered(node, info.loop);
      Loop& loop = loops_[info.output_loop];
      loop.enters.push_back(node.id);
      if (Depth(info.branch) > Depth(loop.branch)) loop.branch = info.branch;
      info.branch = nullptr;
      break;
    }
    case OpRole::kExit:
      loops_[info.loop].exits.push_back(node.id);
      info.output_loop = loops_[info.loop].outer;
      info.branch = loops_[info.loop].branch;
      break;
    case OpRole::kLoopCond:
      loops_[info.loop].condition = node.id;
      break;
    case OpRole::kSwitch:
      if (node.num_outputs() == 2 && node.inputs[1].node != kNoNode)
        AddBranches(graph, node, &info);
      break;
    default:
      break;
  }
  info_[static_cast<size_t>(node.id)] = info;
}

}  // namespace millrace
