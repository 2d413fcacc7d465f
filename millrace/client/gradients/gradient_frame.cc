#include "millrace/client/gradients/gradient_frame.h"

#include <algorithm>
#include <utility>

#include "millrace/client/unique_names.h"

namespace millrace {
namespace {

// Constants up to this size are copied into the gradient loop instead of kept
// on a stack.
constexpr size_t kMaxCopiedBytes = 1024;

Operation OperationAt(ClientGraph& graph, NodeId id) {
  Operation op;
  graph.Read([&](const Graph& g) { op = Operation(&graph, g.node(id)); });
  return op;
}

// Returns the op that runs in each iteration of an unfinished loop.
Operation BodyOf(ClientGraph& graph, const LoopIndex& index, int loop) {
  Operation body;
  graph.Read([&](const Graph& g) {
    for (NodeId id = 0; id < g.num_ids() && !body; ++id) {
      const Node* node = g.node(id);
      if (node == nullptr || node->op->law != Law::kPassesOn ||
          index.LoopOf(id) != loop) {
        continue;
      }
      const OutputRef in = node->inputs[0];
      const Node& from = *g.node(in.node);
      if (in.port == 1 && from.op->role == OpRole::kSwitch &&
          g.node(from.inputs[1].node)->op->role == OpRole::kLoopCond) {
        body = Operation(&graph, node);
      }
    }
  });
  return body;
}

bool HasRole(const Operation& op, OpRole role) {
  return op && op.node()->op->role == role;
}

bool IsConstantEnter(const Operation& op) {
  if (!HasRole(op, OpRole::kEnter)) return false;
  const auto constant = op.Attr<bool>("is_constant");
  return constant.ok() && *constant;
}

// Returns what `handle`, in a loop's body, is around the loop, if it only
// passes through conditionals; otherwise null.
Output HandleAround(const Output& handle) {
  Operation op = handle.op();
  while (op && (op.node()->op->law == Law::kPassesOn ||
                HasRole(op, OpRole::kSwitch))) {
    op = op.input(0).op();
  }
  return IsConstantEnter(op) ? op.input(0) : Output();
}

}  // namespace

GradientFrame::GradientFrame(LoopIndex* index, const Scope& scope, int loop)
    : index_(index),
      outer_(nullptr),
      forward_loop_(loop),
      scope_(scope),
      forward_scope_(scope.WithoutControlDependencies()),
      inside_(forward_scope_) {
  if (loop != 0) {
    forward_scope_ = forward_scope_.WithControlDependencies(
        {BodyOf(scope.graph(), *index, loop)});
  }
}

GradientFrame::GradientFrame(GradientFrame* outer, int loop, bool colocate)
    : index_(outer->index_),
      outer_(outer),
      forward_loop_(loop),
      scope_(outer->scope_),
      forward_scope_(outer->forward_scope_),
      inside_(outer->scope_) {
  const LoopIndex::Loop& l = index_->loop(loop);
  forward_name_ = {l.name, l.parallel_iterations};
  const Scope block = outer->scope_.SubScope(
      IsValidScopeName(l.name) ? absl::StrCat(l.name, "_grad") : "loop_grad");
  loop_.name = {
      scope_.graph().UniqueName(absl::StrCat(block.name(), "while_context")),
      l.parallel_iterations};
  BuildForwardCounter(block);
  BuildCounter(block, colocate);
}

void GradientFrame::BuildForwardCounter(const Scope& block) {
  const LoopIndex::Loop& l = index_->loop(forward_loop_);
  const Output condition = OperationAt(scope_.graph(), l.condition).output(0);
  const Scope around =
      outer_->forward_scope_.SubScope(block.name()).ColocateWith(condition);
  const Scope inside = around.WithoutControlDependencies();
  const Output zero = ops::Const(around.WithOpName("f_count"), 0);
  const Output count = OpenLoopVariable(
      inside,
      EnterLoop(around, zero, forward_name_, LoopEntry::kFirstIteration),
      PartialShape({}));
  const auto branches = ops::Switch(inside, count, condition);
  const Output more = branches.output_true;
  const Output step =
      ops::AddV2(inside.WithControlDependencies({more}), more, 1);
  forward_step_ = step.op();
  forward_next_ = CloseLoopVariable(inside, count, step);
  total_ = ops::Exit(inside.WithOpName("f_total"), branches.output_false);
  if (total_) index_->Add(total_.ref().node, l.outer, l.branch);
  forward_scope_ = outer_->forward_scope_.SubScope(block.name())
                       .WithoutControlDependencies()
                       .WithControlDependencies({forward_step_});
}

void GradientFrame::BuildCounter(const Scope& block, bool colocate) {
  const NodeId condition = index_->loop(forward_loop_).condition;
  const Scope around =
      colocate ? block.ColocateWith(OperationAt(block.graph(), condition))
               : block;
  inside_ = around.WithoutControlDependencies();
  const Output begin = outer_->Take(total_);
  const Output count =
      OpenLoopVariable(inside_,
                       EnterLoop(around.WithOpName("b_count"), begin,
                                 loop_.name, LoopEntry::kFirstIteration),
                       PartialShape({}));
  const Output more =
      ops::GreaterEqual(inside_.WithControlDependencies({count}), count, 1);
  condition_ = ops::LoopCond(inside_, more);
  const auto branches = ops::Switch(inside_, count, condition_);
  const Output left = branches.output_true;
  const Output index =
      ops::Sub(inside_.WithControlDependencies({left}), left, 1);
  next_ = CloseLoopVariable(inside_, count, index);
  if (outer_->outer_) {
    // An inner loop pops all values of this run before the next run.
    const Operation end = ops::Exit(inside_, branches.output_false).op();
    if (end) loop_.exits.push_back(end);
    outer_->PopBeforeNextIteration(end);
  }
  loop_.variables.push_back(count);
  loop_.in_body.push_back(left);
  loop_.others = {condition_.op(), next_};
  loop_.pivot = index.op();
  scope_ = outer_->scope_.WithoutControlDependencies().WithControlDependencies(
      {index});
}

GradientFrame::Variable GradientFrame::AddVariable(const Output& begin,
                                                   const PartialShape& shape) {
  Variable v;
  v.merge = OpenLoopVariable(
      inside_,
      EnterLoop(outer_->scope_, begin, loop_.name, LoopEntry::kFirstIteration),
      shape);
  const auto branches = ops::Switch(inside_, v.merge, condition_);
  v.in_body = branches.output_true;
  v.end = branches.output_false;
  if (v.merge) {
    loop_.variables.push_back(v.merge);
    loop_.in_body.push_back(v.in_body);
  }
  return v;
}

Output GradientFrame::CloseVariable(const Variable& variable,
                                    const Output& next) {
  const Operation closing = CloseLoopVariable(scope_, variable.merge, next);
  const Output end = ops::Exit(inside_, variable.end);
  if (!end) return {};
  loop_.others.push_back(closing);
  loop_.exits.push_back(end.op());
  return end;
}

Status GradientFrame::Close() {
  MR_RETURN_IF_ERROR(scope_.status());
  // Dead-code elimination: removes gradients of inputs that were not requested,
  // whose inputs would be kept.
  ClientGraph& graph = scope_.graph();
  const std::vector<NodeId> useless = NodesNotNeeded(graph, loop_);
  const auto is_useless = [&](const Operation& op) {
    return op &&
           std::binary_search(useless.begin(), useless.end(), op.node()->id);
  };
  absl::erase_if(taken_,
                 [&](const auto& t) { return is_useless(t.second.op()); });
  absl::erase_if(pivots_, [&](const auto& p) { return is_useless(p.second); });
  graph.RemoveNodes(useless);
  return TakeInputsInside(outer_->scope_, loop_,
                          [this](const Output& input) { return Take(input); });
}

Output GradientFrame::Take(const Output& value) {
  if (!value) return {};
  if (outer_ == nullptr) {
    const NodeId id = value.ref().node;
    if (!index_->Has(id) ||
        index_->Encloses(index_->OutputLoop(id), forward_loop_)) {
      return value;
    }
    scope_.Fail(Internal("gradients need ", value.name(),
                         ", which is inside of another loop"));
    return {};
  }
  if (const auto it = taken_.find(value.ref()); it != taken_.end())
    return it->second;
  const NodeId id = value.ref().node;
  Output result;
  if (index_->Has(id) && index_->OutputLoop(id) == forward_loop_) {
    result = TakeOfForwardLoop(value);
  } else {
    result = TakeFromOutside(value);
  }
  taken_[value.ref()] = result;
  return result;
}

Output GradientFrame::TakeFromOutside(const Output& value) {
  if (!value) return {};
  // A handle stays where its resource is.
  const Scope around = value.dtype() == DataType::kResource
                           ? outer_->scope_.ColocateWith(value)
                           : outer_->scope_;
  return EnterLoop(around, outer_->Take(value), loop_.name,
                   LoopEntry::kEachIteration);
}

Output GradientFrame::TakeOfForwardLoop(const Output& value) {
  if (IsConstantEnter(value.op())) {
    return TakeFromOutside(value.op().input(0));
  }
  if (value.dtype() == DataType::kResource) {
    if (const Output handle = HandleAround(value))
      return TakeInBranch(value, handle);
  }
  if (HasRole(value.op(), OpRole::kConstant)) {
    const std::optional<Tensor> constant = ConstantValue(value);
    if (constant && constant->size_bytes() <= kMaxCopiedBytes) {
      const Branch* branch = index_->BranchOf(value.ref());
      return ops::Const(
          scope_.WithoutControlDependencies().WithControlDependencies(
              {Pivot(branch)}),
          *constant);
    }
  }
  return Pop(value);
}

// Returns `outside`, alive if `value` is.
Output GradientFrame::TakeInBranch(const Output& value, const Output& outside) {
  const Output taken = TakeFromOutside(outside);
  const Branch* branch = index_->BranchOf(value.ref());
  if (!taken || branch == nullptr) return taken;
  return ops::Identity(scope_.WithoutControlDependencies()
                           .WithControlDependencies({Pivot(branch)})
                           .ColocateWith(outside),
                       taken);
}

Output GradientFrame::Pop(const Output& value) {
  GradientFrame* around = outer_;
  while (around->outer_) around = around->outer_;
  const Scope stack_scope =
      around->forward_scope_.ColocateWith(value).WithOpName("f_acc");
  const Output stack = ops::StackV2(stack_scope, -1, value.dtype());
  if (!stack) return {};
  const Operation beside = stack.op();
  const Output push = ops::StackPushV2(forward_scope_.ColocateWith(beside),
                                       TakeForward(stack, beside), value);
  if (!push) return {};
  PushBeforeNextIteration(push.op());
  const Branch* branch = index_->BranchOf(value.ref());
  const Scope pop_scope = scope_.WithoutControlDependencies()
                              .WithControlDependencies({Pivot(branch)})
                              .ColocateWith(beside);
  const Output popped = ops::StackPopV2(pop_scope, Take(stack), value.dtype());
  if (!popped) return {};
  popped.SetShape(value.shape());
  PopBeforeNextIteration(popped.op());
  return popped;
}

Output GradientFrame::TakeForward(const Output& value,
                                  const Operation& beside) {
  if (outer_ == nullptr) return value;
  Output& taken = taken_forward_[value.ref()];
  if (!taken) {
    taken = EnterLoop(outer_->forward_scope_.ColocateWith(beside),
                      outer_->TakeForward(value, beside), forward_name_,
                      LoopEntry::kEachIteration);
  }
  return taken;
}

Operation GradientFrame::Pivot(const Branch* branch) {
  if (branch == nullptr) return loop_.pivot;
  if (const auto it = pivots_.find(branch); it != pivots_.end())
    return it->second;
  ClientGraph& graph = scope_.graph();
  const Output pred =
      Take(OperationAt(graph, branch->pred.node).output(branch->pred.port));
  const auto branches =
      ops::Switch(scope_.WithoutControlDependencies(), pred, pred);
  // Waits for the iteration, too: a condition from outside of the loop does not
  // depend on its end.
  const Operation pivot =
      ops::Identity(scope_, branch->port == 0 ? branches.output_false
                                              : branches.output_true)
          .op();
  pivots_[branch] = pivot;
  return pivot;
}

void GradientFrame::PushBeforeNextIteration(const Operation& push) {
  if (!forward_sync_) {
    // Alive if the push is in a branch that is not taken.
    forward_sync_ = ops::ControlTrigger(forward_scope_);
    scope_.graph().AddControlInput(forward_next_, forward_sync_);
  }
  scope_.graph().AddControlInput(forward_sync_, push);
}

void GradientFrame::PopBeforeNextIteration(const Operation& op) {
  if (!sync_) {
    sync_ = ops::ControlTrigger(scope_);
    scope_.graph().AddControlInput(next_, sync_);
  }
  scope_.graph().AddControlInput(sync_, op);
}

}  // namespace millrace
