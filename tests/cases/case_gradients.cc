#include "tests/cases/case_gradients.h"

#include <algorithm>

#include "millrace/tensor/dispatch.h"
#include "tests/cases/bind.h"
#include "tests/cases/gradient_check.h"
#include "tests/cases/runner.h"

namespace millrace::cases {
namespace {

DataType Wide(DataType type) {
  if (IsFloating(type)) return DataType::kDouble;
  return type == DataType::kComplex64 ? DataType::kComplex128 : type;
}

Tensor Widened(const Tensor& t) {
  const DataType type = Wide(t.dtype());
  if (type == t.dtype()) return t;
  Tensor wide = Tensor::New(type, t.shape());
  if (t.dtype() == DataType::kComplex64) {
    const auto in = t.flat<Complex64>();
    std::copy(in.begin(), in.end(), wide.mutable_flat<Complex128>().begin());
    return wide;
  }
  const Status status = Dispatch(FloatTypes{}, t.dtype(), [&]<class T>() {
    const auto in = t.flat<T>();
    auto out = wide.mutable_flat<double>();
    for (size_t i = 0; i < in.size(); ++i) out[i] = static_cast<double>(in[i]);
    return OkStatus();
  });
  MR_CHECK(status.ok(), status.ToString());
  return wide;
}

Case WidenedCase(const Case& c) {
  Case wide = c;
  for (CaseNode& node : wide.nodes) {
    for (Value& value : node.inputs) value.tensor = Widened(value.tensor);
    AttrMap attrs;
    for (const auto& [name, value] : node.attrs) {
      const DataType* type = value.get<DataType>();
      attrs.Set(name, type ? AttrValue(Wide(*type)) : value);
    }
    node.attrs = std::move(attrs);
  }
  return wide;
}

bool HasKernels(const BoundCase& c, const Suite& suite) {
  return std::all_of(
      c.nodes.begin(), c.nodes.end(), [&](const BoundNode& node) {
        return RunsWithoutKernel(node.info.op->name) ||
               suite.kernels.Has("CPU", *node.info.op, node.info.attrs);
      });
}

// The case as a function of its fed values.
GraphFunction AsFunction(const BoundCase& c) {
  return [&c](const Scope& scope, const std::vector<Output>& feeds) {
    std::vector<Operation> built;
    for (const BoundNode& node : c.nodes) {
      std::vector<Output> inputs;
      for (const BoundInput& input : node.inputs) {
        inputs.push_back(
            input.kind == Value::Kind::kNode
                ? built[static_cast<size_t>(input.index)].output(input.port)
                : feeds[static_cast<size_t>(input.index)]);
      }
      ClientGraph::NodeSpec spec = scope.NewNode();
      spec.name = scope.TakeOpName(node.info.name);
      spec.op = node.info.op->name;
      spec.inputs = inputs;
      spec.attrs = node.info.attrs;
      for (int control : node.control_inputs) {
        spec.control_inputs.push_back(built[static_cast<size_t>(control)]);
      }
      auto added = scope.graph().AddNode(spec);
      if (!added.ok()) {
        scope.Fail(added.status(), spec.name);
        return std::vector<Output>();
      }
      built.push_back(*added);
    }
    std::vector<Output> outputs;
    for (const auto& [node, port] : c.runs.back().fetches) {
      outputs.push_back(built[static_cast<size_t>(node)].output(port));
    }
    return outputs;
  };
}

}  // namespace

std::string CheckCaseGradients(const Case& c, const Suite& suite) {
  const Case wide = WidenedCase(c);
  GradientCheck check;
  check.tolerance = c.options.gradient_tolerance;
  check.second = false;
  StatusOr<BoundCase> bound = Bind(wide, *suite.ops);
  if (!bound.ok() || !HasKernels(*bound, suite)) {
    bound = Bind(c, *suite.ops);
    if (!bound.ok()) return bound.status().ToString();
    // Floats see a difference only over a longer way.
    check.step = 1e-2;
    check.tolerance = std::max(check.tolerance, 2e-2);
  }
  if (!bound->variables.empty())
    return "gradients of cases with variables are not checked";
  for (int i : c.options.gradient_inputs) {
    check.inputs.push_back(
        bound->nodes[0].inputs[static_cast<size_t>(i)].index);
  }
  std::vector<Tensor> inputs;
  for (const BoundFeed& feed : bound->feeds) inputs.push_back(feed.value);
  return CheckGradient(AsFunction(*bound), inputs, check);
}

}  // namespace millrace::cases
