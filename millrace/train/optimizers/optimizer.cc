#include "millrace/train/optimizers/optimizer.h"

#include <algorithm>

#include "absl/strings/str_join.h"
#include "millrace/client/ops.h"

namespace millrace::train {
namespace {

ops::VariableOptions StateOptions(const ops::Variable& like) {
  ops::VariableOptions options;
  options.trainable = false;
  options.use_resource = like.is_resource();
  return options;
}

// Returns the distinct rows, each with the sum of its values.
IndexedSlices DistinctRows(const Scope& scope, const IndexedSlices& rows) {
  const auto unique = ops::Unique(scope, rows.indices);
  const Output count =
      ops::StridedSlice(scope, ops::Shape(scope, unique.y), {0}, {1}, {1},
                        {.shrink_axis_mask = 1});
  return {
      .values = ops::UnsortedSegmentSum(scope, rows.values, unique.idx, count),
      .indices = unique.y,
      .dense_shape = rows.dense_shape};
}

}  // namespace

std::vector<GradientAndVariable> Optimizer::ComputeGradients(
    const Scope& scope, const Output& loss,
    const ComputeGradientsOptions& options) const {
  std::vector<ops::Variable> variables = options.variables;
  if (variables.empty()) variables = ops::TrainableVariables(scope);
  if (variables.empty()) {
    scope.Fail(InvalidArgument("No variables to optimize."));
    return {};
  }
  std::vector<Output> handles;
  for (const ops::Variable& v : variables) handles.push_back(v.handle());
  ops::GradientsOptions how = options.gradients;
  how.gate = how.gate || options.gate == GateGradients::kOp;
  std::vector<Gradient> gradients = ops::Gradients(scope, {loss}, handles, how);
  std::vector<GradientAndVariable> pairs;
  for (size_t i = 0; i < variables.size(); ++i) {
    pairs.push_back({std::move(gradients[i]), std::move(variables[i])});
  }
  return pairs;
}

Operation Optimizer::ApplyGradients(
    const Scope& scope, const std::vector<GradientAndVariable>& gradients,
    const ApplyGradientsOptions& options) {
  if (!scope.ok()) return {};
  std::vector<ops::Variable> variables;
  for (const GradientAndVariable& pair : gradients) {
    if (!pair.variable) {
      scope.Fail(InvalidArgument("a variable is null"));
      return {};
    }
    if (pair.gradient) variables.push_back(pair.variable);
  }
  if (variables.empty()) {
    scope.Fail(InvalidArgument(
        "No gradients provided for any variable: ",
        absl::StrJoin(gradients, ", ",
                      [](std::string* out, const GradientAndVariable& pair) {
                        absl::StrAppend(out, pair.variable.name());
                      })));
    return {};
  }
  CreateState(
      scope.SubScope("").WithoutControlDependencies().WithoutColocation(),
      variables);
  const Scope block =
      scope.SubScope(options.name.empty() ? name_ : options.name);
  Prepare(block);
  std::vector<Operation> updates;
  for (const GradientAndVariable& pair : gradients) {
    if (!pair.gradient) continue;
    const Scope beside =
        block.SubScope(absl::StrCat("update_", pair.variable.op_name()))
            .ColocateWith(pair.variable.handle());
    if (!pair.gradient.is_slices()) {
      updates.push_back(
          ApplyDense(beside, pair.gradient.tensor, pair.variable));
      continue;
    }
    updates.push_back(ApplyRows(beside,
                                NeedsDistinctRows()
                                    ? DistinctRows(beside, pair.gradient.slices)
                                    : pair.gradient.slices,
                                pair.variable));
  }
  for (Operation& more : Finish(block, updates)) {
    updates.push_back(std::move(more));
  }
  // The last op gets the name of the block.
  const Scope whole = block.WithOpName(block.name());
  Operation train_op;
  if (options.global_step) {
    const Operation update =
        ops::Group(block.WithOpName("update"),
                   std::vector<ControlInput>(updates.begin(), updates.end()));
    const ops::Variable& step = options.global_step;
    const auto after = [&](const Scope& at) {
      return at.ColocateWith(step.handle()).WithControlDependencies({update});
    };
    // The addition to a resource has no output; the op that reads it afterwards
    // is the last one.
    const Output value = step.is_resource()
                             ? ops::Identity(whole.ColocateWith(step.handle()),
                                             step.AssignAdd(after(block), 1))
                             : step.AssignAdd(after(whole), 1);
    train_op = value.op();
  } else {
    train_op = ops::Group(
        whole, std::vector<ControlInput>(updates.begin(), updates.end()));
  }
  if (!scope.ok()) return {};
  scope.graph().AddToCollection(graph_keys::kTrainOp, train_op);
  return train_op;
}

Operation Optimizer::Minimize(const Scope& scope, const Output& loss,
                              const MinimizeOptions& options) {
  return ApplyGradients(
      scope,
      ComputeGradients(scope, loss,
                       {.variables = options.variables,
                        .gradients = options.gradients,
                        .gate = options.gate}),
      {.global_step = options.global_step, .name = options.name});
}

std::vector<std::string> Optimizer::SlotNames() const { return slot_names_; }

ops::Variable Optimizer::Slot(const ops::Variable& variable,
                              absl::string_view slot) const {
  const auto it = slots_.find(
      std::pair<Output, std::string>(variable.handle(), std::string(slot)));
  return it == slots_.end() ? ops::Variable() : it->second;
}

std::string Optimizer::DenseUpdateOp(const ops::Variable& variable,
                                     absl::string_view rule) {
  return absl::StrCat(variable.is_resource() ? "Resource" : "", "Apply", rule);
}

std::string Optimizer::SparseUpdateOp(const ops::Variable& variable,
                                      absl::string_view rule) {
  return absl::StrCat(variable.is_resource() ? "Resource" : "", "SparseApply",
                      rule);
}

ops::Variable Optimizer::ZerosSlot(const Scope& root,
                                   const ops::Variable& variable,
                                   const std::string& slot,
                                   const std::string& name) {
  return NewSlot(root, variable, slot, name, "zeros", 0);
}

ops::Variable Optimizer::FilledSlot(const Scope& root,
                                    const ops::Variable& variable,
                                    const std::string& slot,
                                    const std::string& name, double value) {
  return NewSlot(root, variable, slot, name, value == 1 ? "ones" : "Const",
                 value);
}

ops::Variable Optimizer::NewSlot(const Scope& root,
                                 const ops::Variable& variable,
                                 const std::string& slot,
                                 const std::string& name,
                                 const char* initializer, double value) {
  ops::Variable& made = slots_[{variable.handle(), slot}];
  if (made) return made;
  if (std::find(slot_names_.begin(), slot_names_.end(), slot) ==
      slot_names_.end()) {
    slot_names_.push_back(slot);
  }
  const StatusOr<TensorShape> shape = variable.shape().AsTensorShape();
  if (!shape.ok()) {
    root.Fail(InvalidArgument("a slot '", slot, "' needs the shape of ",
                              variable.name(), ", which is ",
                              variable.shape().DebugString()),
              variable.op_name());
    return {};
  }
  const auto sizes_of = shape->dims();
  const std::vector<int64_t> dims(sizes_of.begin(), sizes_of.end());
  made = ops::Variable(
      root.ColocateWith(variable.handle())
          .WithOpName(absl::StrCat(variable.op_name(), "/", name)),
      [&](const Scope& s) {
        const Output sizes = ops::Const(
            s.WithOpName(absl::StrCat(initializer, "/shape_as_tensor")),
            Tensor::Vector<int64_t>(absl::MakeConstSpan(dims)));
        const Output number =
            ops::Const(s.WithOpName(absl::StrCat(initializer, "/Const")), value,
                       variable.dtype());
        return ops::Fill(s.WithOpName(initializer), sizes, number);
      },
      StateOptions(variable));
  if (!made) return made;
  made.SetSaveSliceOfSlot(variable);
  own_.push_back(made);
  return made;
}

ops::Variable Optimizer::OwnNumber(const Scope& root,
                                   const ops::Variable& neighbour,
                                   const std::string& name, float value) {
  const ops::Variable made(
      root.ColocateWith(neighbour.handle()).WithOpName(name),
      [&](const Scope& s) {
        return ops::Const(s.WithOpName("initial_value"), value);
      },
      StateOptions(neighbour));
  if (made) own_.push_back(made);
  return made;
}

}  // namespace millrace::train
