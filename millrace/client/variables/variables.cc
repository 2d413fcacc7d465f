#include "millrace/client/variables/variables.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "millrace/client/op_builder.h"
#include "millrace/client/ops.h"
#include "millrace/graph/tensor_name.h"

namespace millrace::ops {
namespace {

const Output kNullOutput;
const Operation kNullOperation;

// Returns the name of a block without its slash.
std::string NameOfBlock(const Scope& block) {
  return block.name().substr(0, block.name().size() - 1);
}

Output NewVariable(const Scope& scope, const PartialShape& shape, DataType type,
                   const std::string& shared_name, bool is_resource) {
  return is_resource
             ? VarHandleOp(scope, type, shape, {.shared_name = shared_name})
             : VariableV2(scope, shape, type, {.shared_name = shared_name});
}

}  // namespace

struct Variable::State {
  Output handle;
  Output value;
  Operation initializer;
  Output initial_value;
  DataType dtype = DataType::kInvalid;
  PartialShape shape;
  bool trainable = false;
  std::optional<SaveSlice> save_slice;
};

Variable::Variable(const Scope& scope, const Input& initial_value,
                   const VariableOptions& options) {
  Build(
      scope,
      [&](const Scope& block) -> Output {
        if (!initial_value.is_literal()) return initial_value.output();
        return Const(block.WithOpName("initial_value"),
                     initial_value.literal());
      },
      /*is_function=*/false, options);
}

Variable::Variable(const Scope& scope, const VariableInitializer& initializer,
                   const VariableOptions& options) {
  Build(scope, initializer, /*is_function=*/true, options);
}

void Variable::Build(const Scope& scope,
                     const std::function<Output(const Scope&)>& initial_value,
                     bool is_function, const VariableOptions& options) {
  const Scope block = scope.WithoutControlDependencies().BlockFor("Variable");
  const std::string name = NameOfBlock(block);
  const bool is_resource = options.use_resource;
  auto state = std::make_shared<State>();
  // The ops that make the value are colocated with the variable, which does not
  // exist yet.
  const AttrValue::StringList group = {absl::StrCat("loc:@", name)};
  const Scope beside =
      is_function || is_resource ? block.WithAttr("_class", group) : block;
  const Scope initial = is_function || is_resource
                            ? beside.SubScope("Initializer").WithoutDevices()
                            : block;
  state->initial_value = initial_value(initial);
  if (!state->initial_value) {
    scope.Fail(InvalidArgument("the initial value of a variable is null"),
               name);
    return;
  }
  state->dtype = state->initial_value.dtype();
  if (options.validate_shape) state->shape = state->initial_value.shape();
  if (options.validate_shape && !state->shape.IsFullyDefined()) {
    scope.Fail(InvalidArgument("initial_value must have a shape specified: ",
                               state->initial_value.name(), " has ",
                               state->shape.DebugString()),
               name);
    return;
  }
  const std::string shared_name =
      options.shared_name.empty() && is_resource ? name : options.shared_name;
  state->handle = NewVariable(beside.WithOpName(block.name()), state->shape,
                              state->dtype, shared_name, is_resource);
  if (!state->handle) return;
  if (is_resource) {
    const Scope there =
        block.WithoutDevices().WithDevice(state->handle.op().device());
    VarIsInitializedOp(block.SubScope("IsInitialized"), state->handle);
    state->initializer = AssignVariableOp(there.WithOpName("Assign"),
                                          state->handle, state->initial_value);
    state->value =
        ReadVariableOp(there.SubScope("Read"), state->handle, state->dtype);
  } else {
    state->initializer = ops::Assign(block.WithOpName("Assign"), state->handle,
                                     state->initial_value,
                                     {.validate_shape = options.validate_shape})
                             .op();
    state->value = Identity(
        block.ColocateWith(state->handle).WithOpName("read"), state->handle);
  }
  if (!state->value || !state->initializer) return;
  state->trainable = options.trainable;
  state_ = std::move(state);
  std::vector<std::string> collections = options.collections;
  if (options.trainable)
    collections.emplace_back(graph_keys::kTrainableVariables);
  std::sort(collections.begin(), collections.end());
  collections.erase(std::unique(collections.begin(), collections.end()),
                    collections.end());
  for (const std::string& collection : collections) {
    scope.graph().AddToCollection(collection, *this);
  }
}

StatusOr<Variable> Variable::FromParts(ClientGraph& graph, const Parts& parts) {
  auto state = std::make_shared<State>();
  MR_ASSIGN_OR_RETURN(state->handle, graph.FindOutput(parts.variable_name));
  MR_ASSIGN_OR_RETURN(state->value, graph.FindOutput(parts.snapshot_name));
  state->initializer = graph.Find(SplitTensorName(parts.initializer_name).node);
  if (!state->initializer) {
    return NotFound("the initializer '", parts.initializer_name,
                    "' is not in the graph");
  }
  if (!parts.initial_value_name.empty()) {
    MR_ASSIGN_OR_RETURN(state->initial_value,
                        graph.FindOutput(parts.initial_value_name));
  }
  state->dtype = state->value.dtype();
  state->shape = state->value.shape();
  state->trainable = parts.trainable;
  Variable variable;
  variable.state_ = std::move(state);
  return variable;
}

DataType Variable::dtype() const {
  return state_ ? state_->dtype : DataType::kInvalid;
}
PartialShape Variable::shape() const {
  return state_ ? state_->shape : PartialShape();
}
bool Variable::is_resource() const {
  return handle().dtype() == DataType::kResource;
}
bool Variable::trainable() const { return state_ && state_->trainable; }
const Output& Variable::handle() const {
  return state_ ? state_->handle : kNullOutput;
}
const Output& Variable::value() const {
  return state_ ? state_->value : kNullOutput;
}
const Operation& Variable::initializer() const {
  return state_ ? state_->initializer : kNullOperation;
}
const Output& Variable::initial_value() const {
  return state_ ? state_->initial_value : kNullOutput;
}

const SaveSlice* Variable::save_slice() const {
  return state_ && state_->save_slice ? &*state_->save_slice : nullptr;
}
void Variable::SetSaveSlice(SaveSlice slice) {
  if (state_) state_->save_slice = std::move(slice);
}
void Variable::SetSaveSliceOfSlot(const Variable& primary) {
  const SaveSlice* part = primary.save_slice();
  if (!part || !state_) return;
  SaveSlice slice = *part;
  absl::StrAppend(&slice.full_name, op_name().substr(primary.op_name().size()));
  SetSaveSlice(std::move(slice));
}

Output Variable::Read(const Scope& scope) const {
  const Scope there = scope.ColocateWith(handle());
  if (!is_resource()) return Identity(there, handle());
  return ReadVariableOp(there, handle(), dtype());
}

Output Variable::Update(const Scope& scope, const char* op, const Input& value,
                        bool use_locking) const {
  if (!is_resource()) {
    OpBuilder update(scope, op);
    update.In(handle()).In(value).Attr("use_locking", use_locking);
    return update.Finish().output(0);
  }
  // A value written in C++ is converted to the variable's type, which the
  // handle does not tell the schema.
  OpBuilder update(scope, absl::StrCat(op, "VariableOp"));
  update.In(handle()).In(value).Attr("dtype", dtype());
  const Operation done = update.Finish();
  return done ? Read(scope.WithControlDependencies({done})) : Output();
}

Output Variable::Assign(const Scope& scope, const Input& value,
                        const VariableUpdateOptions& options) const {
  return Update(scope, "Assign", value, options.use_locking.value_or(true));
}
Output Variable::AssignAdd(const Scope& scope, const Input& delta,
                           const VariableUpdateOptions& options) const {
  return Update(scope, "AssignAdd", delta, options.use_locking.value_or(false));
}
Output Variable::AssignSub(const Scope& scope, const Input& delta,
                           const VariableUpdateOptions& options) const {
  return Update(scope, "AssignSub", delta, options.use_locking.value_or(false));
}

Operation Variable::Scatter(const Scope& scope, const char* op,
                            const IndexedSlices& rows) const {
  const std::string name = is_resource() ? absl::StrCat("Resource", op) : op;
  OpBuilder scatter(scope, name);
  return scatter.In(handle()).In(rows.indices).In(rows.values).Finish();
}

Operation Variable::ScatterUpdate(const Scope& scope,
                                  const IndexedSlices& rows) const {
  return Scatter(scope, "ScatterUpdate", rows);
}
Operation Variable::ScatterAdd(const Scope& scope,
                               const IndexedSlices& rows) const {
  return Scatter(scope, "ScatterAdd", rows);
}
Operation Variable::ScatterSub(const Scope& scope,
                               const IndexedSlices& rows) const {
  return Scatter(scope, "ScatterSub", rows);
}

Output Variable::IsInitialized(const Scope& scope) const {
  return is_resource() ? VarIsInitializedOp(scope, handle())
                       : IsVariableInitialized(scope, handle());
}

Output Variable::InitializedValue(const Scope& scope) const {
  const Scope block =
      scope.WithoutControlDependencies().BlockFor("initialized_value");
  const Output is_initialized = IsInitialized(block);
  if (!is_initialized) return {};
  // The read must not run if there is no value: it waits for the branch.
  const auto branch = Switch(block, is_initialized, is_initialized);
  const Output yes = Identity(block, branch.output_true);
  const Output read = Read(block.WithControlDependencies({yes}));
  const auto initial = Switch(block, initial_value(), is_initialized);
  return Merge(block, {initial.output_false, read}).output;
}

std::vector<Variable> GlobalVariables(const Scope& scope) {
  return scope.graph().Collection<Variable>(graph_keys::kGlobalVariables);
}
std::vector<Variable> LocalVariables(const Scope& scope) {
  return scope.graph().Collection<Variable>(graph_keys::kLocalVariables);
}
std::vector<Variable> TrainableVariables(const Scope& scope) {
  return scope.graph().Collection<Variable>(graph_keys::kTrainableVariables);
}

Operation VariablesInitializer(const Scope& scope,
                               const std::vector<Variable>& variables) {
  std::vector<ControlInput> initializers;
  for (const Variable& variable : variables)
    initializers.push_back(variable.initializer());
  return Group(scope, initializers);
}
Operation GlobalVariablesInitializer(const Scope& scope) {
  return VariablesInitializer(scope.WithOpName("init"), GlobalVariables(scope));
}
Operation LocalVariablesInitializer(const Scope& scope) {
  return VariablesInitializer(scope.WithOpName("init"), LocalVariables(scope));
}

Output ReportUninitialized(const Scope& scope,
                           const std::vector<Variable>& variables) {
  const Scope block = scope.BlockFor("report_uninitialized_variables")
                          .WithDevice("/device:CPU:0");
  std::vector<Output> initialized;
  std::vector<std::string> names;
  for (const Variable& variable : variables) {
    initialized.push_back(variable.IsInitialized(block));
    names.push_back(variable.op_name());
  }
  if (variables.empty()) {
    return Const(block, Tensor::New(DataType::kString, TensorShape({0})));
  }
  const Output missing = LogicalNot(block, Pack(block, initialized));
  const Output rows =
      Squeeze(block, Where(block, missing), {.squeeze_dims = {1}});
  return GatherV2(block, Const(block, names), rows, 0);
}

Output ReportUninitialized(const Scope& scope) {
  std::vector<Variable> variables = GlobalVariables(scope);
  for (Variable& variable : LocalVariables(scope))
    variables.push_back(std::move(variable));
  return ReportUninitialized(scope, variables);
}

}  // namespace millrace::ops
