#include "millrace/train/replicas/async_replicas.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "millrace/client/graph_keys.h"
#include "millrace/client/ops.h"
#include "millrace/train/input/queue_summary.h"
#include "millrace/train/optimizers/hyperparameter.h"
#include "millrace/train/replicas/step_reads.h"

namespace millrace::train {
namespace {

// Adds one and returns the value after that.
Output CountUp(const Scope& scope, const ops::Variable& variable) {
  const Scope there = scope.ColocateWith(variable.handle());
  const Output after = variable.AssignAdd(there, 1);
  return variable.is_resource() ? after : ops::Snapshot(there, after);
}

}  // namespace

// What a step has before its gradients are applied.
struct AsyncReplicas::Step {
  ops::Variable global_step;
  Scope block;   // on the global step's device
  Output begun;  // the global step when the step began
  Output lock;   // held while the gradients are applied; null: none is
  Output now;    // the global step of the decision
  std::vector<GradientAndVariable> gradients;
  // What the updates wait for besides their gradients.
  std::vector<ControlInput> before;
};

AsyncReplicas::AsyncReplicas(Optimizer* rule,
                             const AsyncReplicasOptions& options)
    : rule_(rule), options_(options) {}

Status AsyncReplicas::Check(const ApplyGradientsOptions& options) const {
  if (!options.global_step) {
    return InvalidArgument("Global step is required to measure staleness");
  }
  if (ops_.staleness) return InvalidArgument("gradients are applied once");
  if (options_.replicas < 1 || options_.replica < 0 ||
      options_.replica >= options_.replicas) {
    return InvalidArgument(
        "asynchronous training needs one replica or more, of numbers from 0 on "
        "and below their count: replica is ",
        options_.replica, ", replicas is ", options_.replicas);
  }
  const bool drops = options_.policy == StalenessPolicy::kDrop;
  if (drops != options_.max_staleness.has_value()) {
    return InvalidArgument(
        drops ? "dropping stale gradients needs max_staleness, 0 or more"
              : "max_staleness is for StalenessPolicy::kDrop alone");
  }
  for (const auto& [name, value] :
       {std::pair("max_staleness", options_.max_staleness.value_or(0)),
        std::pair("max_ahead", options_.max_ahead.value_or(0)),
        std::pair("warm_up_steps", options_.warm_up_steps)}) {
    if (value < 0) {
      return InvalidArgument(name, " must be 0 or more, got ", value);
    }
  }
  return OkStatus();
}

void AsyncReplicas::Measure(const Scope& scope, Step* step) {
  step->now = ValueOfNow(scope, step->global_step);
  const Scope& block = step->block;
  // A global step that was restored meanwhile is less than the one before.
  ops_.staleness = ops::Maximum(
      block.WithOpName("measured"),
      ops::Sub(block, AsInt64(block, step->now), AsInt64(block, step->begun)),
      int64_t{0});
}

void AsyncReplicas::Decide(Step* step) {
  const Scope& block = step->block;
  if (options_.updates == Updates::kOneByOne) {
    const Output mutex =
        ops::MutexV2(block.WithOpName("mutex"),
                     {.shared_name = absl::StrCat(block.name(), "mutex")});
    step->lock =
        ops::MutexLock(block.WithControlDependencies(step->before), mutex);
    step->before = {step->lock};
  }
  Measure(block.WithControlDependencies(step->before), step);
  if (options_.policy == StalenessPolicy::kDrop) {
    ops_.applied = ops::LessEqual(block.WithOpName("applied"), ops_.staleness,
                                  *options_.max_staleness);
    const Output taken =
        ops::Switch(block, ops_.applied, ops_.applied).output_true;
    // All that the rule builds waits for it, and is dead with it: some rules
    // change slots whatever the gradient is.
    step->before = {ops::Identity(block.WithOpName("taken"), taken)};
  } else if (options_.policy == StalenessPolicy::kScale) {
    step->gradients = Scaled(std::move(step->gradients), block);
    // The factor is there once all is that it was waited for.
    if (!step->lock) step->before.clear();
  }
}

std::vector<GradientAndVariable> AsyncReplicas::Scaled(
    std::vector<GradientAndVariable> gradients, const Scope& block) const {
  const Output updates = ops::Cast(
      block, ops::AddV2(block, ops_.staleness, int64_t{1}), DataType::kDouble);
  Hyperparameter scale(ops::Reciprocal(block.WithOpName("scale"), updates),
                       "scale");
  scale.StartBlock(block);
  for (auto& [gradient, variable] : gradients) {
    if (!gradient || !variable) continue;
    Output& values =
        gradient.is_slices() ? gradient.slices.values : gradient.tensor;
    values = ops::Mul(block.ColocateWith(variable.handle()), values,
                      scale.For(variable));
  }
  return gradients;
}

Operation AsyncReplicas::ApplyGradients(
    const Scope& scope, const std::vector<GradientAndVariable>& gradients,
    const ApplyGradientsOptions& options) {
  if (!scope.ok()) return {};
  if (Status status = Check(options); !status.ok()) {
    scope.Fail(status);
    return {};
  }
  const std::string task = TaskOf(options.global_step.op());
  const Scope beside = task.empty() ? scope : scope.WithDevice(task);
  const Scope root =
      beside.SubScope("").WithoutControlDependencies().WithoutColocation();
  Step step{.global_step = options.global_step,
            .block = root.SubScope(options_.name)};
  const Scope& block = step.block;
  const ReplicaTable table(block, options_.replicas, options_.replica);
  step.begun = ValueOfNow(block.WithOpName("begun"), step.global_step);
  if (!scope.ok()) return {};
  ReadAfter(step.begun.op(), gradients);
  step.gradients = OnTheWire(scope, gradients, options_.wire);
  if (!scope.ok()) return {};

  const bool decides = options_.policy != StalenessPolicy::kMeasure ||
                       options_.updates == Updates::kOneByOne;
  if (decides) {
    ArrivedGradients arrived = AwaitGradients(
        block, step.global_step.op(), gradients, std::move(step.gradients));
    step.gradients = std::move(arrived.gradients);
    step.before = std::move(arrived.here);
    for (ControlInput& other : arrived.elsewhere)
      step.before.push_back(std::move(other));
    Decide(&step);
  }
  const Scope updates = step.before.empty()
                            ? beside
                            : beside.WithControlDependencies(step.before);
  const Operation applied =
      rule_->ApplyGradients(updates, step.gradients, {.name = options.name});
  if (!applied) return {};
  if (!decides) Measure(block.WithControlDependencies({applied}), &step);

  Output after = CountUp(block.WithControlDependencies({applied, step.now}),
                         step.global_step);
  if (options_.policy == StalenessPolicy::kDrop) {
    const Output unchanged =
        ops::Switch(block, step.now, ops_.applied).output_false;
    after = ops::Merge(block, {after, unchanged}).output;
  }
  const Scope last = block.WithControlDependencies({after});
  std::vector<ControlInput> all = {
      table.Count(last, ops_.staleness, ops_.applied)};
  if (step.lock) all.push_back(ops::ConsumeMutexLock(last, step.lock));
  const Operation train_op =
      ops::Identity(block.WithOpName("train_op").WithControlDependencies(all),
                    after)
          .op();
  BuildOps(table, step);
  if (!scope.ok()) return {};
  scope.graph().AddToCollection(graph_keys::kTrainOp, train_op);
  return train_op;
}

void AsyncReplicas::BuildOps(const ReplicaTable& table, const Step& step) {
  const Scope& block = step.block;
  if (!ops_.applied) {
    ops_.applied = ops::Const(block.WithOpName("applied"), true);
  }
  const Scope control = block.SubScope("control");
  ops_.global_step = AsInt64(control, ValueOfNow(control, step.global_step));
  ops_.records = table.Read(control.WithOpName("records"));
  ops_.join = table.Join(control);
  const auto fed = [&](const char* name) {
    return ops::Placeholder(control.WithOpName(name), DataType::kInt64,
                            {.shape = PartialShape({})});
  };
  ops_.fed_replica = fed("replica");
  ops_.fed_state = fed("state");
  ops_.set_state = table.SetState(control, ops_.fed_replica, ops_.fed_state);
  // Of all replicas and so far: to read these changes nothing, also where
  // summaries are made by runs of their own.
  const ReplicaTable::Figures figures =
      ReplicaTable::FiguresOf(control, ops_.records);
  AddScalarSummary(block, "staleness", figures.staleness);
  AddScalarSummary(block, "max_staleness", figures.max_staleness);
  AddScalarSummary(block, "dropped", figures.dropped);
}

Operation AsyncReplicas::Minimize(const Scope& scope, const Output& loss,
                                  const MinimizeOptions& options) {
  return ApplyGradients(
      scope,
      ComputeGradients(
          scope, loss,
          {.variables = options.variables, .gradients = options.gradients}),
      {.global_step = options.global_step, .name = options.name});
}

StatusOr<ReplicaRecords> ReadReplicaRecords(Session& session,
                                            const AsyncReplicasOps& ops) {
  MR_ASSIGN_OR_RETURN(const std::vector<Tensor> values,
                      session.Run({ops.global_step, ops.records}));
  return ParseReplicaRecords(values[0], values[1]);
}

}  // namespace millrace::train
