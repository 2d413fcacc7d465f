#include "millrace/train/optimizers/moving_average.h"

#include <set>

#include "absl/strings/str_cat.h"
#include "millrace/client/ops.h"

namespace millrace::train {
namespace {

// Outside of any block, so that it can be initialized without it.
Scope Outside(const Scope& scope) {
  return scope.SubScope("").WithoutControlDependencies().WithoutColocation();
}

enum class AverageKind { kReference, kResource };

AverageKind KindOf(const ops::Variable& variable) {
  return variable.is_resource() ? AverageKind::kResource
                                : AverageKind::kReference;
}

ops::Variable ZerosVariable(const Scope& scope, const std::string& name,
                            const PartialShape& shape, DataType type,
                            AverageKind kind) {
  const StatusOr<TensorShape> known = shape.AsTensorShape();
  if (!known.ok()) {
    scope.Fail(
        InvalidArgument("the average '", name, "' needs a known shape, got ",
                        shape.DebugString()),
        name);
    return {};
  }
  return ops::Variable(
      scope.WithOpName(name),
      [&](const Scope& s) {
        return ops::Const(s.WithOpName("zeros"), Tensor::Zeros(type, *known));
      },
      {.trainable = false, .use_resource = kind == AverageKind::kResource});
}

// Returns the scope of an update's last op: named as the block, unless the
// update of a resource and the read after it would both take that name.
Scope LastOf(const Scope& block, const ops::Variable& variable) {
  return variable.is_resource() ? block : block.WithOpName(block.name());
}

// Removes the bias of the initial zeros.
Output AssignDebiased(const Scope& block, const ops::Variable& variable,
                      const Output& value, const Output& rest) {
  const Scope outside = Outside(block).ColocateWith(variable.handle());
  const ops::Variable biased =
      ZerosVariable(outside, absl::StrCat(variable.op_name(), "/biased"),
                    variable.shape(), variable.dtype(), KindOf(variable));
  const ops::Variable local_step = ZerosVariable(
      outside, absl::StrCat(variable.op_name(), "/local_step"),
      PartialShape(std::vector<int64_t>{}), variable.dtype(), KindOf(variable));
  if (!biased || !local_step) return {};
  const Output sum = biased.AssignSub(
      block, ops::Mul(block, ops::Sub(block, biased, value), rest));
  const Output steps = local_step.AssignAdd(block, 1.0);
  const Output kept = ops::Pow(block, ops::Sub(block, 1.0, rest), steps);
  return variable.Assign(LastOf(block, variable),
                         ops::RealDiv(block, sum, ops::Sub(block, 1.0, kept)));
}

}  // namespace

Output AssignMovingAverage(const Scope& scope, const ops::Variable& variable,
                           const Output& value, const Input& decay,
                           const AssignMovingAverageOptions& options) {
  if (!variable || !value) return {};
  const Scope block =
      scope.BlockFor("AssignMovingAvg").ColocateWith(variable.handle());
  Output rest;  // 1 - decay
  if (decay.is_literal()) {
    const Output kept = ops::Const(block, decay.literal(), variable.dtype());
    rest = ops::Sub(block, 1.0, kept);
  } else {
    rest = ops::Sub(block, 1.0, decay.output());
    if (rest && rest.dtype() != variable.dtype()) {
      rest = ops::Cast(block, rest, variable.dtype());
    }
  }
  if (options.zero_debias) return AssignDebiased(block, variable, value, rest);
  return variable.AssignSub(
      LastOf(block, variable),
      ops::Mul(block, ops::Sub(block, variable, value), rest));
}

ExponentialMovingAverage::ExponentialMovingAverage(
    const Input& decay, const ExponentialMovingAverageOptions& options)
    : decay_(decay), options_(options) {}

Output ExponentialMovingAverage::Decay(const Scope& block) const {
  const Output decay = decay_.is_literal()
                           ? ops::Const(block.WithOpName("decay"),
                                        decay_.literal(), DataType::kFloat)
                           : decay_.output();
  if (!options_.num_updates || !decay) return decay;
  const Output n = ops::Cast(block.WithOpName("num_updates"),
                             options_.num_updates, decay.dtype());
  return ops::Minimum(block, decay,
                      ops::RealDiv(block, ops::AddV2(block, 1.0, n),
                                   ops::AddV2(block, 10.0, n)));
}

ops::Variable ExponentialMovingAverage::MakeAverage(
    const Scope& scope, const ops::Variable& variable) {
  ops::Variable& average = averages_[variable.handle()];
  if (average) return average;
  const Scope outside = Outside(scope).ColocateWith(variable.handle());
  average = ops::Variable(
      outside.WithOpName(absl::StrCat(variable.op_name(), "/", options_.name)),
      variable.InitializedValue(outside.SubScope(
          absl::StrCat(variable.op_name(), "/", options_.name, "_initial"))),
      {.trainable = false, .use_resource = variable.is_resource()});
  if (average) {
    average.SetSaveSliceOfSlot(variable);
    scope.graph().AddToCollection(graph_keys::kMovingAverageVariables,
                                  variable);
  }
  return average;
}

ops::Variable ExponentialMovingAverage::MakeAverage(const Scope& scope,
                                                    const Output& tensor) {
  ops::Variable& average = averages_[tensor];
  if (average || !tensor) return average;
  average = ZerosVariable(
      Outside(scope), absl::StrCat(tensor.op().name(), "/", options_.name),
      tensor.shape(), tensor.dtype(), AverageKind::kReference);
  return average;
}

Operation ExponentialMovingAverage::Apply(const Scope& scope) {
  return Apply(scope, ops::TrainableVariables(scope));
}

Operation ExponentialMovingAverage::Apply(
    const Scope& scope, const std::vector<ops::Variable>& variables) {
  for (const ops::Variable& v : variables) MakeAverage(scope, v);
  const Scope block = scope.SubScope(options_.name);
  const Output decay = Decay(block);
  std::vector<ControlInput> updates;
  for (const ops::Variable& v : variables) {
    // The value at this point of the step, not the one read at its start.
    updates.push_back(AssignMovingAverage(block, averages_[v.handle()],
                                          v.Read(block), decay));
  }
  return ops::Group(block.WithOpName(block.name()), updates);
}

Operation ExponentialMovingAverage::ApplyToTensors(
    const Scope& scope, const std::vector<Output>& tensors) {
  for (const Output& t : tensors) MakeAverage(scope, t);
  const Scope block = scope.SubScope(options_.name);
  const Output decay = Decay(block);
  std::vector<ControlInput> updates;
  for (const Output& t : tensors) {
    updates.push_back(AssignMovingAverage(
        block, averages_[t], t, decay, {.zero_debias = options_.zero_debias}));
  }
  return ops::Group(block.WithOpName(block.name()), updates);
}

ops::Variable ExponentialMovingAverage::AverageOf(const Output& tensor) const {
  const auto it = averages_.find(tensor);
  return it == averages_.end() ? ops::Variable() : it->second;
}

ops::Variable ExponentialMovingAverage::Average(
    const ops::Variable& variable) const {
  return AverageOf(variable.handle());
}

std::string ExponentialMovingAverage::AverageName(
    const ops::Variable& variable) const {
  const ops::Variable average = Average(variable);
  return average ? average.op_name()
                 : absl::StrCat(variable.op_name(), "/", options_.name);
}

std::map<std::string, ops::Variable>
ExponentialMovingAverage::VariablesToRestore(const Scope& scope) const {
  std::vector<ops::Variable> averaged = ops::TrainableVariables(scope);
  for (const ops::Variable& v : scope.graph().Collection<ops::Variable>(
           graph_keys::kMovingAverageVariables)) {
    averaged.push_back(v);
  }
  return VariablesToRestore(scope, averaged);
}

std::map<std::string, ops::Variable>
ExponentialMovingAverage::VariablesToRestore(
    const Scope& scope, const std::vector<ops::Variable>& averaged) const {
  std::map<std::string, ops::Variable> by_name;
  std::set<std::string> done;
  for (const ops::Variable& v : averaged) {
    by_name.emplace(AverageName(v), v);
    done.insert(v.op_name());
  }
  for (const ops::Variable& v : ops::GlobalVariables(scope)) {
    if (!done.contains(v.op_name())) by_name.emplace(v.op_name(), v);
  }
  return by_name;
}

}  // namespace millrace::train
