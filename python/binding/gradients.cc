#include "python/binding/gradients.h"

#include <algorithm>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "millrace/client/gradients.h"
#include "millrace/client/gradients/grad_context.h"
#include "python/binding/flow.h"
#include "python/binding/graph_object.h"
#include "python/binding/python_hooks.h"
#include "python/binding/traces.h"

namespace millrace::python {
namespace {

// A gradient in Python: None, a Tensor, or (values, indices, dense_shape or
// None).
nb::object PyGradient(GraphObject* graph, const Gradient& gradient) {
  if (gradient.is_slices()) {
    const IndexedSlices& slices = gradient.slices;
    return nb::make_tuple(
        PyTensor(graph, slices.values), PyTensor(graph, slices.indices),
        slices.dense_shape ? PyTensor(graph, slices.dense_shape) : nb::none());
  }
  return gradient.tensor ? PyTensor(graph, gradient.tensor) : nb::none();
}

Gradient GradientOf(nb::handle value) {
  if (value.is_none()) return {};
  if (!PyTuple_Check(value.ptr())) return Gradient(OutputOf(AsTensor(value)));
  IndexedSlices slices;
  slices.values = OutputOf(AsTensor(value[0]));
  slices.indices = OutputOf(AsTensor(value[1]));
  if (!value[2].is_none()) slices.dense_shape = OutputOf(AsTensor(value[2]));
  return Gradient(slices);
}

std::vector<Output> Outputs(const nb::list& tensors) {
  std::vector<Output> outputs;
  for (nb::handle tensor : tensors)
    outputs.push_back(OutputOf(AsTensor(tensor)));
  return outputs;
}

// The scope of what is in force in the calling thread, with names below
// `prefix`.
Scope ScopeHere(GraphCore& core, const std::string& prefix) {
  const Stacks& stacks = core.stacks();
  Scope scope = Scope(core.graph).WithOpName(prefix);
  if (!stacks.device.empty()) scope = scope.WithDevice(stacks.device);
  for (NodeId id : stacks.colocation)
    scope = scope.ColocateWith(Operation(core.graph.get(), core.node(id)));
  if (!core.container.empty()) scope = scope.WithContainer(core.container);
  for (const Operation& op : PlaceOf(core, {}).control_inputs)
    scope = scope.WithControlDependencies({op});
  return scope;
}

// Calls functions of Python at their places. Their exceptions wait here until
// the C++ between is left.
class Functions {
 public:
  Functions(GraphObject* graph, nb::handle find)
      : graph_(graph), find_(nb::borrow(find)) {}

  // Returns what find(op) says: None for the function of the table, False for
  // no gradient, or a function, which is called as function(op, gradients, name
  // scope, control inputs).
  StatusOr<std::optional<ops::GradientFunction>> Find(const Operation& op) {
    try {
      nb::object function = find_(PyOperation(graph_, op.node()));
      if (function.is_none()) return std::optional<ops::GradientFunction>();
      if (function.ptr() == Py_False)
        return std::optional<ops::GradientFunction>(ops::GradientFunction());
      return std::optional<ops::GradientFunction>(
          [this, function](GradContext& g) { Call(function, g); });
    } catch (...) {
      return Keep();
    }
  }

  void RaiseKept() {
    if (kept_) std::rethrow_exception(std::exchange(kept_, nullptr));
  }

 private:
  void Call(const nb::object& function, GradContext& g) {
    try {
      nb::list dys;
      for (int i = 0; i < g.num_outputs(); ++i) {
        const DataType type = g.out(i).dtype();
        if (!g.has_dy(i) && (IsFloating(type) || IsComplex(type)))
          g.dy(i);  // makes zeros
        dys.append(PyGradient(graph_, g.gradient(i)));
      }
      nb::list waits;
      for (const Operation& op : g.scope().NewNode().control_inputs)
        waits.append(PyOperation(graph_, op.node()));
      nb::object dxs = function(PyOperation(graph_, g.op().node()), dys,
                                g.scope().name(), waits);
      int i = 0;
      for (nb::handle dx : dxs) {
        if (i < g.num_inputs()) g.Set(i, GradientOf(dx));
        ++i;
      }
    } catch (...) {
      g.Fail(Keep());
    }
  }

  Status Keep() {
    kept_ = std::current_exception();
    return Aborted("an exception of a gradient function");
  }

  GraphObject* const graph_;
  const nb::object find_;
  std::exception_ptr kept_;
};

// Device functions are Python's, and every op notes the line that asked for the
// gradients.
void Finish(GraphObject* graph, NodeId begin) {
  GraphCore& core = *graph->core;
  ++core.shape_changes;
  const int32_t trace = core.traces.Capture();
  const NodeId end = core.graph->End().nodes;
  for (NodeId id = begin; id < end; ++id) {
    const Node* const node = core.node(id);
    if (!node) continue;
    if (core.slot(id).trace < 0) core.slot(id).trace = trace;
    if (!core.stacks().device_functions) continue;
    nb::object op = PyOperation(graph, node);
    nb::object done = nb::steal(PyObject_CallOneArg(hooks().after, op.ptr()));
    if (!done.is_valid()) throw nb::python_error();
  }
}

nb::list BuildGradients(nb::handle graph_object, const nb::list& ys,
                        const nb::list& xs, const nb::list& grad_ys,
                        const nb::list& stop, const std::string& scope,
                        bool colocate, bool gate, nb::handle find) {
  GraphObject* const graph = AsGraph(graph_object);
  GraphCore& core = *graph->core;
  Functions functions(graph, find);
  ops::GradientsOptions options;
  for (nb::handle dy : grad_ys) options.grad_ys.push_back(GradientOf(dy));
  options.stop_gradients = Outputs(stop);
  options.colocate_with_ops = colocate;
  options.gate = gate;
  options.find_function = [&functions](const Operation& op) {
    return functions.Find(op);
  };
  const NodeId begin = core.graph->End().nodes;
  const std::vector<Gradient> dxs =
      ops::Gradients(ScopeHere(core, scope), Outputs(ys), Outputs(xs), options);
  const Status status = core.graph->status();
  core.graph->ClearStatus();
  functions.RaiseKept();
  Check(status, /*building=*/true);
  Finish(graph, begin);
  nb::list result;
  for (const Gradient& dx : dxs) result.append(PyGradient(graph, dx));
  return result;
}

}  // namespace

void BindGradients(nb::module_& m) {
  m.def("gradients", &BuildGradients, nb::arg("graph"), nb::arg("ys"),
        nb::arg("xs"), nb::arg("grad_ys"), nb::arg("stop"), nb::arg("scope"),
        nb::arg("colocate"), nb::arg("gate"), nb::arg("find"),
        "Builds gradients below the name scope `scope` (with its slash). A "
        "gradient is None, a Tensor or a tuple (values, "
        "indices, dense_shape or None). find(op) returns None for the built-in "
        "function of an op, False if nothing goes back "
        "through it, or a function that is called as function(op, gradients of "
        "the outputs, scope, control inputs) and returns "
        "a list of gradients, one an input.");
  m.def(
      "has_gradient",
      [](const std::string& op) {
        const auto table = AllGradients();
        return std::any_of(
            table.begin(), table.end(),
            [&](const GradientDecl* decl) { return op == decl->op; });
      },
      "Whether there is a built-in gradient, or none on purpose, of an op "
      "type.");
}

}  // namespace millrace::python
