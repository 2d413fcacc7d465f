// Gradients of calls: calls of the functions' gradients.
#include <utility>

#include "millrace/client/op_builder.h"
#include "millrace/ops/control_flow/function_gradient.grad.h"
#include "millrace/ops/control_flow/function_writer.grad.h"

namespace millrace::ops {
namespace {

// Appends the parts of a gradient, which are one tensor or those of slices.
void AddParts(const Gradient& gradient, std::vector<Output>* parts) {
  if (!gradient.is_slices()) {
    parts->push_back(gradient.tensor);
    return;
  }
  const IndexedSlices& rows = gradient.slices;
  parts->push_back(rows.values);
  parts->push_back(rows.indices);
  if (rows.dense_shape) parts->push_back(rows.dense_shape);
}

// Returns the gradient whose parts are the next ones of the call's results.
Gradient TakeParts(const Gradient& inside, const std::vector<Output>& results,
                   size_t* next) {
  if (!inside.is_slices()) return results[(*next)++];
  IndexedSlices rows;
  rows.values = results[(*next)++];
  rows.indices = results[(*next)++];
  if (inside.slices.dense_shape) rows.dense_shape = results[(*next)++];
  return rows;
}

// Sets `gradient` to the function that the library names as the gradient of
// `function`. Returns false if it names none.
bool FindNamedGradient(const GradContext& g, const NameAttrList& function,
                       NameAttrList* gradient, bool* is_stateful) {
  bool found = false;
  g.scope().graph().Read([&](const Graph& graph) {
    const std::string* const name = graph.library().FindGradient(function.name);
    if (name == nullptr) return;
    found = true;
    *gradient = {*name, function.attrs};
    const FunctionDef* const def = graph.library().Find(*name);
    *is_stateful = def != nullptr && def->signature.Is(kStateful);
  });
  return found;
}

// Calls `gradient` with the call's inputs and the gradients of all its outputs.
void CallNamedGradient(GradContext& g, const NameAttrList& gradient,
                       bool is_stateful) {
  std::vector<Output> inputs = g.op().inputs();
  std::vector<DataType> types;
  for (const Output& input : inputs) {
    const DataType variable = g.scope().graph().VariableType(input);
    types.push_back(variable == DataType::kInvalid ? input.dtype() : variable);
  }
  for (int i = 0; i < g.num_outputs(); ++i) inputs.push_back(g.dy(i));
  const std::vector<Output> dxs =
      CallFunction(g, gradient, is_stateful, inputs, types);
  for (int i = 0; i < g.num_inputs(); ++i) {
    if (g.wants(i)) g.Set(i, dxs[static_cast<size_t>(i)]);
  }
}

Status CallGradient(GradContext& g) {
  const Operation& op = g.op();
  MR_ASSIGN_OR_RETURN(const AttrValue::Func f, op.Attr<AttrValue::Func>("f"));
  NameAttrList named;
  bool is_stateful = false;
  if (FindNamedGradient(g, *f, &named, &is_stateful)) {
    CallNamedGradient(g, named, is_stateful);
    return OkStatus();
  }
  GradientOfCall of;
  of.function = *f;
  std::vector<Output> inputs = of.inputs = op.inputs();
  for (int i = 0; i < g.num_inputs(); ++i) of.wanted.push_back(g.wants(i));
  for (int i = 0; i < g.num_outputs(); ++i) {
    const bool carries_gradient =
        g.has_dy(i) && CarriesGradient(g.out(i).dtype());
    if (carries_gradient) inputs.push_back(g.dy(i));
    of.dy_types.push_back(carries_gradient ? inputs.back().dtype()
                                           : DataType::kInvalid);
  }
  MR_RETURN_IF_ERROR(g.scope().status());
  FunctionGradient gradient(g, std::move(of));
  MR_RETURN_IF_ERROR(gradient.Build());
  std::vector<Output> parts;
  for (const Gradient& dx : gradient.dxs()) {
    if (dx) AddParts(dx, &parts);
  }
  if (parts.empty()) return OkStatus();
  MR_ASSIGN_OR_RETURN(const NameAttrList function, gradient.Write(parts));
  std::vector<DataType> types;
  for (const Output& part : parts) types.push_back(part.dtype());
  OpBuilder call(g, gradient.is_stateful() ? "StatefulPartitionedCall"
                                           : "PartitionedCall");
  call.In(InputList(inputs)).Attr("f", function).Attr("Tout", types);
  for (const char* name : {"config", "config_proto", "executor_type"}) {
    if (const auto value = op.Attr<std::string>(name); value.ok())
      call.Attr(name, *value);
  }
  call.Finish();
  const std::vector<Output> results = call.OutList(0);
  MR_RETURN_IF_ERROR(g.scope().status());
  size_t next = 0;
  for (int i = 0; i < g.num_inputs(); ++i) {
    const Gradient& dx = gradient.dxs()[static_cast<size_t>(i)];
    if (dx) g.Set(i, TakeParts(dx, results, &next));
  }
  return OkStatus();
}

}  // namespace

MR_GRADIENT(PartitionedCall)(GradContext& g) { g.Fail(CallGradient(g)); }
MR_GRADIENT(StatefulPartitionedCall)(GradContext& g) {
  g.Fail(CallGradient(g));
}

}  // namespace millrace::ops
