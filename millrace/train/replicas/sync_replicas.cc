#include "millrace/train/replicas/sync_replicas.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "millrace/client/graph_keys.h"
#include "millrace/client/ops.h"
#include "millrace/train/replicas/step_reads.h"

namespace millrace::train {
namespace {

constexpr char kTokens[] = "sync_token_q";
constexpr char kLeft[] = "sync_replicas_left";

// Builds a queue of scalars that all replicas share.
FIFOQueue SharedQueue(const Scope& scope, const char* name, DataType type) {
  return FIFOQueue(scope.WithOpName(name), {type},
                   {.shapes = {PartialShape({})}, .shared_name = name});
}

}  // namespace

// The global step when a replica's gradients have arrived and the accumulators
// beside it have not got them yet: a step that counts them is not over before.
struct SyncReplicas::Measured {
  Output now;
  ops::Variable step;
  ops::Variable first;  // set if no variable is beside the step

  bool IsBefore(const ops::Variable& variable) const {
    return first ? variable == first : OnOneTask(variable.op(), step.op());
  }
};

struct SyncReplicas::Given {
  std::vector<GradientAndVariable> averages;
  std::vector<ControlInput> gave;
  // An accumulator and the device of its variable.
  std::vector<std::pair<Output, std::string>> accumulators;
};

SyncReplicas::SyncReplicas(Optimizer* rule, const SyncReplicasOptions& options)
    : rule_(rule), options_(options) {
  ops_.gradients_per_step = options.gradients_per_step;
  ops_.replicas =
      options.replicas == 0 ? options.gradients_per_step : options.replicas;
}

SyncReplicas::Given SyncReplicas::Give(
    const Scope& block, const std::vector<GradientAndVariable>& gradients,
    const Measured& measured) {
  Given given;
  for (const auto& [gradient, variable] : gradients) {
    if (!gradient) {
      given.averages.push_back({Gradient(), variable});
      continue;
    }
    const std::string& device = variable.op().device();
    const Scope there = device.empty() ? block : block.WithDevice(device);
    const std::string shared = absl::StrCat(variable.name(), "/grad_accum");
    const DataType type = variable.dtype();
    const Scope giving = measured.IsBefore(variable)
                             ? there.WithControlDependencies({measured.now})
                             : there;
    const Output count =
        ops::Const(there, static_cast<int32_t>(ops_.gradients_per_step));
    Output accumulator;
    if (gradient.is_slices()) {
      const IndexedSlices& rows = gradient.slices;
      accumulator = ops::SparseConditionalAccumulator(
          there.WithOpName("sparse_conditional_accumulator"), type,
          PartialShape(), {.shared_name = shared});
      given.gave.push_back(ops::SparseAccumulatorApplyGradient(
          giving, accumulator, AsInt64(there, local_step_),
          AsInt64(there, rows.indices), rows.values,
          rows.dense_shape ? AsInt64(there, rows.dense_shape)
                           : ops::Const(there, Tensor::Zeros(DataType::kInt64,
                                                             TensorShape({0}))),
          static_cast<bool>(rows.dense_shape)));
      const auto taken =
          ops::SparseAccumulatorTakeGradient(there, accumulator, count, type);
      given.averages.push_back(
          {IndexedSlices{taken.values, taken.indices, taken.shape}, variable});
    } else {
      accumulator = ops::ResourceConditionalAccumulator(
          there.WithOpName("conditional_accumulator"), type, variable.shape(),
          {.shared_name = shared});
      given.gave.push_back(ops::ResourceAccumulatorApplyGradient(
          giving, accumulator, AsInt64(there, local_step_), gradient.tensor));
      const Output average =
          ops::ResourceAccumulatorTakeGradient(there, accumulator, count, type);
      average.SetShape(variable.shape());
      given.averages.push_back({average, variable});
    }
    given.accumulators.emplace_back(accumulator, device);
    ops_.variables.push_back(variable.op_name());
    ops_.gradients.push_back(
        gradient.is_slices()
            ? ops::AccumulatorNumAccumulated(there, accumulator)
            : ops::ResourceAccumulatorNumAccumulated(there, accumulator));
  }
  return given;
}

SyncReplicas::Measured SyncReplicas::Measure(
    const Scope& control, const ops::Variable& step,
    const std::vector<GradientAndVariable>& computed,
    std::vector<GradientAndVariable>* sent) const {
  ArrivedGradients arrived =
      AwaitGradients(control, step.op(), computed, std::move(*sent));
  *sent = std::move(arrived.gradients);
  Measured measured;
  measured.step = step;
  if (arrived.here.empty()) {
    for (const GradientAndVariable& pair : *sent) {
      if (pair.gradient && !measured.first) measured.first = pair.variable;
    }
    arrived.here = std::move(arrived.elsewhere);
  }
  measured.now =
      ValueOfNow(control.WithControlDependencies(arrived.here), step);
  return measured;
}

Operation SyncReplicas::CountDropped(const Scope& own, const Output& now) {
  const Scope block = own.SubScope("sync_staleness");
  const ops::Variable dropped(
      block.WithOpName("dropped"), ops::Const(block, int64_t{0}),
      {.trainable = false, .collections = {graph_keys::kLocalVariables}});
  if (!dropped) return {};
  ops_.staleness = ops::Maximum(
      block.WithOpName("staleness"),
      ops::Sub(block, AsInt64(block, now), AsInt64(block, local_step_)),
      int64_t{0});
  ops_.dropped = dropped.Read(block);
  const Output stale = ops::Greater(block, ops_.staleness, int64_t{0});
  return dropped.AssignAdd(block, ops::Cast(block, stale, DataType::kInt64))
      .op();
}

Operation SyncReplicas::ApplyGradients(
    const Scope& scope, const std::vector<GradientAndVariable>& gradients,
    const ApplyGradientsOptions& options) {
  if (!scope.ok()) return {};
  const ops::Variable& step = options.global_step;
  if (!step || ops_.gradients_per_step < 1 || ops_.replicas < 1 ||
      local_step_) {
    scope.Fail(InvalidArgument(
        !step         ? "Global step is required to check staleness"
        : local_step_ ? "gradients are applied once"
                      : "synchronous training needs at least one gradient a "
                        "step and one replica"));
    return {};
  }
  const Scope root =
      scope.SubScope("").WithoutControlDependencies().WithoutColocation();
  // On the worker, also where the variables of the scope go to a ps.
  const Scope own = root.ColocateWith(ops::NoOp(root));
  const ops::Variable local_step(
      own.WithOpName("sync_rep_local_step"), ops::Const(own, 0, step.dtype()),
      {.trainable = false, .collections = {graph_keys::kLocalVariables}});
  if (!local_step) return {};
  local_step_ = local_step.value();
  ops_.start_replica = local_step.Assign(root, step.value()).op();

  const std::string& device = step.op().device();
  const Scope beside = device.empty() ? root : root.WithDevice(device);
  const Scope control = beside.SubScope("sync_control");
  std::vector<GradientAndVariable> sent =
      OnTheWire(scope, gradients, options_.wire);
  if (!scope.ok()) return {};
  const Measured measured = Measure(control, step, gradients, &sent);
  const Given given = Give(root.SubScope(options_.name), sent, measured);
  const Operation applied = rule_->ApplyGradients(
      beside, given.averages, {.global_step = step, .name = options.name});
  if (!applied) return {};
  const FIFOQueue tokens = SharedQueue(beside, kTokens, step.dtype());
  const Output token =
      tokens.Dequeue(beside.WithControlDependencies(given.gave))[0];
  // The next step takes this one's place when the staleness has been computed.
  const Operation counted = CountDropped(own, measured.now);
  if (!counted) return {};
  const Operation train_op =
      local_step.Assign(beside.WithControlDependencies({counted}), token).op();

  const auto hand_out = [&](const Scope& s, const Input& count) {
    return tokens.EnqueueMany(s, {ops::Fill(s, count, step.Read(s))});
  };
  ops_.update = hand_out(beside.WithControlDependencies({applied}),
                         Tensor::Vector<int32_t>({static_cast<int32_t>(std::max(
                             ops_.replicas, ops_.gradients_per_step))}));
  ops_.token_count =
      ops::Placeholder(control.WithOpName("token_count"), DataType::kInt32,
                       {.shape = PartialShape({1})});
  ops_.give_tokens = hand_out(control, ops_.token_count);
  ops_.global_step = AsInt64(control, step.value());
  ops_.waiting_tokens = tokens.Size(control);

  std::vector<ControlInput> follow;
  for (const auto& [accumulator, where] : given.accumulators) {
    const Scope there = (where.empty() ? root : root.WithDevice(where))
                            .SubScope(options_.name)
                            .WithOpName("SetGlobalStep");
    const Output now = AsInt64(there, step.value());
    follow.push_back(
        accumulator.dtype() == DataType::kResource
            ? ops::ResourceAccumulatorSetGlobalStep(there, accumulator, now)
            : ops::AccumulatorSetGlobalStep(there, accumulator, now));
  }
  ops_.follow_step = ops::Group(control.WithOpName("follow_step"), follow);
  ops_.start_chief = ops::Group(control.WithOpName("start_chief"),
                                {ops_.follow_step, ops_.start_replica});

  const FIFOQueue left = SharedQueue(beside, kLeft, DataType::kInt64);
  ops_.leave = left.Enqueue(control, {ops_.global_step});
  ops_.left = left.Size(control);
  ops_.forget_count =
      ops::Placeholder(control.WithOpName("forget_count"), DataType::kInt32,
                       {.shape = PartialShape({})});
  ops_.forget = left.DequeueMany(control, ops_.forget_count)[0].op();
  return scope.ok() ? train_op : Operation();
}

Operation SyncReplicas::Minimize(const Scope& scope, const Output& loss,
                                 const MinimizeOptions& options) {
  return ApplyGradients(
      scope,
      ComputeGradients(
          scope, loss,
          {.variables = options.variables, .gradients = options.gradients}),
      {.global_step = options.global_step, .name = options.name});
}

}  // namespace millrace::train
