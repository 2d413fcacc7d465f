#include "millrace/client/control_flow_context.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "millrace/client/colocation.h"
#include "millrace/graph/builtin_ops.h"

namespace millrace {

namespace {

OpRole RoleOf(const Operation& op) { return op.node()->op->role; }

bool IsConstantEnter(const Operation& op) {
  if (!op || RoleOf(op) != OpRole::kEnter) return false;
  const auto constant = op.Attr<bool>("is_constant");
  return constant.ok() && *constant;
}

}  // namespace

ControlFlowContext* OutputContext(const Operation& op) {
  ControlFlowContext* const context = op.graph()->ContextOf(op).get();
  return context != nullptr && RoleOf(op) == OpRole::kExit
             ? context->outer().get()
             : context;
}

ControlFlowContext::ControlFlowContext(Kind kind, ClientGraph* graph,
                                       std::string name, Ptr outer)
    : graph_(*graph),
      kind_(kind),
      name_(std::move(name)),
      outer_(std::move(outer)) {}

ControlFlowContext::~ControlFlowContext() = default;

WhileContext* ControlFlowContext::enclosing_while() {
  for (ControlFlowContext* c = this; c != nullptr; c = c->outer_.get()) {
    if (c->kind_ == Kind::kWhile) return static_cast<WhileContext*>(c);
  }
  return nullptr;
}

bool ControlFlowContext::IsInside(const ControlFlowContext* outer) const {
  for (const ControlFlowContext* c = this; c != nullptr; c = c->outer_.get()) {
    if (c == outer) return true;
  }
  return false;
}

bool ControlFlowContext::IsMadeInside(const Output& value) const {
  const ControlFlowContext* const there = OutputContext(value.op());
  return there != nullptr && there->IsInside(this);
}

bool ControlFlowContext::IsCall(const Operation& op) const {
  return RoleOf(op) == OpRole::kCall || op.type() == builtin::kSymbolicGradient;
}

Status ControlFlowContext::AddOp(const Operation& op,
                                 const ContextPlace& place) {
  graph_.SetContextOf(op, shared_from_this());
  for (const Output& input : op.inputs()) {
    // What closes a loop comes later.
    if (input) MR_RETURN_IF_ERROR(CheckInputContext(op, input.op()));
  }
  MR_RETURN_IF_ERROR(TakeIn(op, place));
  for (const Output& output : op.outputs()) values_.insert(output.name());
  if (outer_ == nullptr && RoleOf(op) == OpRole::kExit) return OkStatus();
  if (kind_ == Kind::kWhile) {
    graph_.KeepInside(op);
  } else {
    graph_.PreventFetching(op);
  }
  return OkStatus();
}

Status ControlFlowContext::ReplaceInputs(const Operation& op,
                                         const ContextPlace& place) {
  for (int i = 0; i < op.num_inputs(); ++i) {
    const Output input = op.input(i);
    if (!input) continue;
    // What closes a loop that is imported is taken in after this.
    if (RoleOf(op) == OpRole::kMerge &&
        RoleOf(input.op()) == OpRole::kNextIteration) {
      continue;
    }
    MR_ASSIGN_OR_RETURN(const Output inside, AddValue(input, place));
    if (inside == input) continue;
    MR_RETURN_IF_ERROR(graph_.SetInput(op, i, inside));
  }
  return OkStatus();
}

std::vector<Operation> ControlFlowContext::RemoveForeignControlInputs(
    const Operation& op) {
  std::vector<Operation> foreign;
  WhileContext* const loop = enclosing_while();
  if (loop == nullptr) return foreign;
  for (const Operation& input : op.control_inputs()) {
    ControlFlowContext* const there = OutputContext(input);
    if (there != nullptr && there->enclosing_while() == loop) continue;
    foreign.push_back(input);
    graph_.RemoveControlInput(op, input);
  }
  return foreign;
}

// Conditionals.

CondContext::CondContext(ClientGraph* graph, const std::string& name,
                         const Output& pred, const Output& pivot, int branch,
                         Ptr outer)
    : ControlFlowContext(Kind::kCond, graph, name, std::move(outer)),
      pred_(pred),
      pivot_(pivot),
      branch_(branch) {}

std::shared_ptr<CondContext> CondContext::Make(const std::string& name,
                                               const Output& pred,
                                               const Output& pivot, int branch,
                                               Ptr outer) {
  std::shared_ptr<CondContext> context(new CondContext(
      pred.graph(), name, pred, pivot, branch, std::move(outer)));
  for (const Output& output : {pred, pivot}) context->AddName(output.name());
  context->AddExternal(pred.name(), pred);
  context->graph_.SetContextOf(pivot.op(), context);
  return context;
}

StatusOr<Output> CondContext::SwitchIn(const Output& value,
                                       const ContextPlace& place) {
  ClientGraph::NodeSpec spec;
  spec.name = graph_.UniqueName(absl::StrCat(place.scope, builtin::kSwitch));
  spec.op = value.is_ref() ? builtin::kRefSwitch : builtin::kSwitch;
  const Output inputs[] = {value, pred_};
  spec.inputs = inputs;
  spec.attrs.Set("T", value.dtype());
  spec.colocation = ColocationGroups(value.op());
  spec.device = value.op().device();
  MR_ASSIGN_OR_RETURN(const Operation branches, graph_.AddNodeOutside(spec));
  graph_.SetContextOf(branches, shared_from_this());
  graph_.PreventFetching(branches);
  const Output inside = branches.output(branch_);
  for (ControlFlowContext* c = this; c != nullptr; c = c->outer().get())
    c->AddName(inside.name());
  return inside;
}

bool CondContext::IsOfOtherBranch(const Output& value) const {
  const Operation& op = value.op();
  return RoleOf(op) == OpRole::kSwitch && value.port() != branch_ &&
         graph_.ContextOf(op).get() == this && op.input(1) == pred_;
}

StatusOr<Output> CondContext::AddResult(const Output& value,
                                        const ContextPlace& place) {
  const bool known = values_.contains(value.name());
  MR_ASSIGN_OR_RETURN(const Output inside, AddValue(value, place));
  if (known || inside == value) return inside;
  for (ControlFlowContext* c = this; c != nullptr; c = c->outer().get()) {
    for (const Output& output : inside.op().outputs())
      c->AddName(output.name());
  }
  return inside;
}

StatusOr<Output> CondContext::AddValue(const Output& value,
                                       const ContextPlace& place) {
  const std::string name = value.name();
  if (values_.contains(name)) {
    const auto found = external_values_.find(name);
    return found == external_values_.end() ? value : found->second;
  }
  values_.insert(name);
  if (IsMadeInside(value) && !IsOfOtherBranch(value)) return value;
  Output around = value;
  if (outer() != nullptr) {
    MR_ASSIGN_OR_RETURN(around, outer()->AddValue(value, place));
    values_.insert(around.name());
    external_values_[around.name()] = around;
  }
  MR_ASSIGN_OR_RETURN(const Output inside, SwitchIn(around, place));
  external_values_[name] = inside;
  return inside;
}

Status CondContext::TakeIn(const Operation& op, const ContextPlace& place) {
  if (op.num_inputs() == 0) {
    RemoveForeignControlInputs(op);
    const std::vector<Operation> waits = op.control_inputs();
    const bool tied =
        std::any_of(waits.begin(), waits.end(), [this](const Operation& input) {
          const ControlFlowContext* const there = OutputContext(input);
          return there != nullptr && there->IsInside(this);
        });
    if (!tied) graph_.AddControlInput(op, pivot_.op());
  } else {
    MR_RETURN_IF_ERROR(ReplaceInputs(op, place));
    RemoveForeignControlInputs(op);
    if (IsCall(op)) graph_.AddControlInput(op, pivot_.op());
  }
  for (const Output& output : op.outputs()) {
    for (ControlFlowContext* c = outer().get(); c; c = c->outer().get())
      c->AddName(output.name());
  }
  return OkStatus();
}

// Loops.

WhileContext::WhileContext(ClientGraph* graph, const std::string& name,
                           const Options& options, Ptr outer)
    : ControlFlowContext(Kind::kWhile, graph, name, std::move(outer)),
      options_(options) {}

std::shared_ptr<WhileContext> WhileContext::Make(const std::string& name,
                                                 ClientGraph* graph,
                                                 const Options& options,
                                                 Ptr outer) {
  return std::shared_ptr<WhileContext>(
      new WhileContext(graph, name, options, std::move(outer)));
}

// An Enter does not begin before the control dependencies that are in force
// around the loop.
void WhileContext::TakeEnter(const Output& enter,
                             absl::Span<const Operation> control_inputs) {
  graph_.SetContextOf(enter.op(), shared_from_this());
  graph_.PreventFeeding(enter);
  const ControlFlowContext* const loop_around =
      outer() == nullptr ? nullptr : outer()->enclosing_while();
  for (const Operation& op : control_inputs) {
    const ControlFlowContext* const there = OutputContext(op);
    // Only what is in a branch, or the loop, right around this one.
    const ControlFlowContext* c = outer().get();
    while (c != there && c != nullptr && c != loop_around) c = c->outer().get();
    if (c == there) graph_.AddControlInput(enter.op(), op);
  }
}

void WhileContext::Begin(
    std::vector<Output> enters,
    absl::Span<const std::vector<Operation>> control_inputs) {
  // An Enter of a constant of an outer loop may run before that loop's
  // iteration does.
  Output pivot;
  for (const ControlFlowContext* c = outer().get(); c != nullptr && !pivot;
       c = c->outer().get()) {
    pivot = c->control_pivot();
  }
  for (const Output& enter : enters) {
    if (pivot && IsConstantEnter(enter.op().input(0).op()))
      graph_.AddControlInput(enter.op(), pivot.op());
  }
  values_.clear();
  for (size_t i = 0; i < enters.size(); ++i) {
    TakeEnter(enters[i], i < control_inputs.size()
                             ? absl::MakeConstSpan(control_inputs[i])
                             : absl::Span<const Operation>());
    values_.insert(enters[i].name());
  }
  loop_enters_ = std::move(enters);
}

StatusOr<Output> WhileContext::AddValue(const Output& value,
                                        const ContextPlace& place) {
  const std::string name = value.name();
  if (values_.contains(name)) {
    const auto found = external_values_.find(name);
    return found == external_values_.end() ? value : found->second;
  }
  if (IsMadeInside(value)) return value;
  values_.insert(name);
  Output around = value;
  if (outer() != nullptr) {
    MR_ASSIGN_OR_RETURN(around, outer()->AddValue(value, place));
  }
  ClientGraph::NodeSpec spec;
  spec.name = graph_.UniqueName(absl::StrCat(
      place.scope, around.is_ref() ? builtin::kRefEnter : builtin::kEnter));
  spec.op = around.is_ref() ? builtin::kRefEnter : builtin::kEnter;
  spec.inputs = absl::MakeConstSpan(&around, 1);
  spec.attrs.Set("T", around.dtype());
  spec.attrs.Set("frame_name", this->name());
  spec.attrs.Set("is_constant", true);
  spec.attrs.Set("parallel_iterations", options_.parallel_iterations);
  spec.colocation = place.colocation;
  if (around.is_ref()) {
    // A reference enters where its variable is, as all ops that take one.
    spec.device = around.op().device();
    for (std::string& group : ColocationGroups(around.op()))
      spec.colocation.push_back(std::move(group));
  } else {
    spec.devices = place.devices;
    spec.device = place.device;
  }
  MR_ASSIGN_OR_RETURN(const Operation enter, graph_.AddNodeOutside(spec));
  const Output inside = enter.output(0);
  TakeEnter(inside, place.control_inputs);
  values_.insert(inside.name());
  external_values_[name] = inside;
  return inside;
}

// Whether nothing makes the op run once an iteration, and in no other.
bool WhileContext::NeedsPivot(const Operation& op) const {
  if (!op.control_inputs().empty()) return false;
  if (IsCall(op)) return true;
  const std::vector<Output> inputs = op.inputs();
  return std::all_of(inputs.begin(), inputs.end(), [](const Output& input) {
    return IsConstantEnter(input.op());
  });
}

Status WhileContext::TakeIn(const Operation& op, const ContextPlace& place) {
  MR_RETURN_IF_ERROR(ReplaceInputs(op, place));
  const std::vector<Operation> foreign = RemoveForeignControlInputs(op);
  if (NeedsPivot(op) && control_pivot())
    graph_.AddControlInput(op, control_pivot().op());
  // Waits for what is outside of the loop through a value that enters.
  for (const Operation& waited : foreign) {
    if (waited.num_outputs() == 0) continue;
    const Output value = waited.output(0);
    ClientGraph::NodeSpec spec;
    spec.name =
        graph_.UniqueName(absl::StrCat(place.scope, builtin::kIdentity));
    spec.op = builtin::kIdentity;
    spec.inputs = absl::MakeConstSpan(&value, 1);
    spec.attrs.Set("T", value.dtype());
    spec.devices = place.devices;
    spec.device = place.device;
    spec.colocation = place.colocation;
    MR_ASSIGN_OR_RETURN(const Operation pull, graph_.AddNodeOutside(spec));
    ContextPlace there = place;
    there.scope = absl::StrCat(pull.name(), "/");
    there.control_inputs.clear();
    MR_RETURN_IF_ERROR(AddOp(pull, there));
    graph_.AddControlInput(op, pull);
  }
  return OkStatus();
}

Status CheckInputContext(const Operation& op, const Operation& input) {
  ControlFlowContext* const there = OutputContext(input);
  if (there == nullptr || op.graph()->allows_foreign_inputs())
    return OkStatus();
  ControlFlowContext* const here = op.graph()->ContextOf(op).get();
  WhileContext* const input_loop = there->enclosing_while();
  if (here == there || input_loop == nullptr) return OkStatus();
  // The Enter of a loop inside of that one is made outside of both.
  if (here == nullptr && RoleOf(op) == OpRole::kEnter) return OkStatus();
  WhileContext* const loop =
      here == nullptr ? nullptr : here->enclosing_while();
  if (loop != nullptr && loop->IsInside(input_loop)) return OkStatus();
  const std::string message = absl::StrCat(
      "Cannot use '", input.name(), "' as input to '", op.name(), "' because ");
  if (loop == nullptr) {
    return InvalidArgument(message, "'", input.name(),
                           "' is in a while loop. See info log for more "
                           "details.");
  }
  return InvalidArgument(
      message,
      "they are in different while loops. See info log for more "
      "details.");
}

}  // namespace millrace
