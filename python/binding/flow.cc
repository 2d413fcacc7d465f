#include "python/binding/flow.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>
#include <vector>

#include "millrace/client/colocation.h"
#include "python/binding/python_hooks.h"

namespace millrace::python {
namespace {

using Context = ControlFlowContext;
using Pointer = std::shared_ptr<Context>;

WhileContext& AsLoop(Context& context) {
  if (context.kind() != Context::Kind::kWhile)
    throw nb::type_error("expected the context of a loop");
  return static_cast<WhileContext&>(context);
}

CondContext& AsBranch(Context& context) {
  if (context.kind() != Context::Kind::kCond)
    throw nb::type_error("expected the context of a branch");
  return static_cast<CondContext&>(context);
}

Output OutputFrom(nb::handle tensor) {
  return tensor.is_none() ? Output() : OutputOf(AsTensor(tensor));
}

nb::object TensorOrNone(nb::handle graph, const Output& output) {
  return output ? PyTensor(AsGraph(graph), output) : nb::none();
}

nb::list Tensors(nb::handle graph, const std::vector<Output>& outputs) {
  nb::list list;
  for (const Output& output : outputs)
    list.append(PyTensor(AsGraph(graph), output));
  return list;
}

std::vector<Output> Outputs(const nb::list& tensors) {
  std::vector<Output> outputs;
  for (nb::handle tensor : tensors) outputs.push_back(OutputFrom(tensor));
  return outputs;
}

// The part of a loop that a name stands for.
Output PartOf(Context& context, const std::string& name) {
  if (name == "pred") return AsBranch(context).pred();
  if (context.kind() == Context::Kind::kCond) return AsBranch(context).pivot();
  const WhileContext& loop = AsLoop(context);
  if (name == "pivot") return loop.pivot();
  if (name == "pivot_for_pred") return loop.pivot_for_pred();
  if (name == "pivot_for_body") return loop.pivot_for_body();
  if (name == "maximum_iterations") return loop.options().maximum_iterations;
  throw nb::key_error(name.c_str());
}

void SetPart(Context& context, const std::string& name, nb::handle tensor) {
  WhileContext& loop = AsLoop(context);
  const Output output = OutputFrom(tensor);
  if (name == "pivot") {
    loop.set_pivot(output);
  } else if (name == "pivot_for_pred") {
    loop.set_pivot_for_pred(output);
  } else if (name == "pivot_for_body") {
    loop.set_pivot_for_body(output);
  } else {
    throw nb::key_error(name.c_str());
  }
}

// Makes the Enters the beginning of a loop. What waits for the control
// dependencies in force then waits through them.
void Begin(nb::handle graph, Context& context, const nb::list& enters) {
  GraphCore& core = *AsGraph(graph)->core;
  std::vector<std::vector<Operation>> waits;
  const std::vector<Output> outputs = Outputs(enters);
  for (const Output& enter : outputs)
    waits.push_back(PlaceOf(core, {enter.op().input(0)}).control_inputs);
  AsLoop(context).Begin(outputs, waits);
  for (const auto& controller : core.stacks().controllers) {
    for (const Output& enter : outputs)
      controller->seen.insert(enter.op().node()->id);
  }
}

nb::dict External(nb::handle graph, Context& context) {
  nb::dict values;
  for (const auto& [name, inside] : context.external_values())
    values[name.c_str()] = PyTensor(AsGraph(graph), inside);
  return values;
}

nb::list Names(Context& context) {
  std::vector<std::string> names(context.values().begin(),
                                 context.values().end());
  std::sort(names.begin(), names.end());
  nb::list list;
  for (const std::string& name : names)
    list.append(nb::str(name.c_str(), name.size()));
  return list;
}

Pointer MakeLoop(nb::handle graph, const std::string& name,
                 int64_t parallel_iterations, bool back_prop, bool swap_memory,
                 nb::handle maximum_iterations, Pointer outer) {
  WhileContext::Options options;
  options.parallel_iterations = parallel_iterations;
  options.back_prop = back_prop;
  options.swap_memory = swap_memory;
  options.maximum_iterations = OutputFrom(maximum_iterations);
  return WhileContext::Make(name, AsGraph(graph)->core->graph.get(), options,
                            std::move(outer));
}

void BindContext(nb::module_& m) {
  nb::class_<Context>(m, "ControlFlowContext",
                      "A branch of a conditional or the body of a loop.")
      .def_prop_ro(
          "key", [](Context& c) { return reinterpret_cast<uintptr_t>(&c); },
          "Differs for all contexts that live.")
      .def_prop_ro("name", &Context::name)
      .def_prop_ro("is_while",
                   [](Context& c) { return c.kind() == Context::Kind::kWhile; })
      .def_prop_rw(
          "outer", [](Context& c) { return c.outer(); },
          [](Context& c, Pointer outer) { c.set_outer(std::move(outer)); },
          nb::for_setter(nb::arg("outer").none()),
          "The context around this one, or None.")
      .def_prop_ro("values", &Names,
                   "The sorted names of the tensors that are known inside.")
      .def_prop_ro("branch", [](Context& c) { return AsBranch(c).branch(); })
      .def_prop_ro(
          "parallel_iterations",
          [](Context& c) { return AsLoop(c).options().parallel_iterations; })
      .def_prop_ro("back_prop",
                   [](Context& c) { return AsLoop(c).options().back_prop; })
      .def_prop_ro("swap_memory",
                   [](Context& c) { return AsLoop(c).options().swap_memory; })
      .def("add_name", &Context::AddName)
      .def("add_external",
           [](Context& c, const std::string& name, nb::handle t) {
             c.AddExternal(name, OutputFrom(t));
           })
      .def(
          "external",
          [](Context& c, nb::handle graph) { return External(graph, c); },
          "A dict of tensors by names.")
      .def("part",
           [](Context& c, nb::handle graph, const std::string& name) {
             return TensorOrNone(graph, PartOf(c, name));
           })
      .def(
          "set_part",
          [](Context& c, const std::string& name, nb::handle t) {
            SetPart(c, name, t);
          },
          nb::arg("name"), nb::arg("tensor").none())
      .def("enters",
           [](Context& c, nb::handle graph) {
             return Tensors(graph, AsLoop(c).loop_enters());
           })
      .def("exits",
           [](Context& c, nb::handle graph) {
             return Tensors(graph, AsLoop(c).loop_exits());
           })
      .def("set_exits",
           [](Context& c, const nb::list& exits) {
             AsLoop(c).set_loop_exits(Outputs(exits));
           })
      .def("begin", [](Context& c, nb::handle graph,
                       const nb::list& enters) { Begin(graph, c, enters); })
      .def("restore",
           [](Context& c, const nb::list& enters) {
             AsLoop(c).Restore(Outputs(enters));
           })
      .def(
          "add_value",
          [](Context& c, nb::handle graph, nb::handle tensor) {
            const Output value = OutputFrom(tensor);
            return PyTensor(
                AsGraph(graph),
                Take(c.AddValue(value, PlaceOf(*AsGraph(graph)->core, {value})),
                     true));
          },
          "Returns what stands for a tensor inside.")
      .def(
          "add_result",
          [](Context& c, nb::handle graph, nb::handle tensor) {
            const Output value = OutputFrom(tensor);
            GraphCore& core = *AsGraph(graph)->core;
            const Output result = Take(
                AsBranch(c).AddResult(value, PlaceOf(core, {value})), true);
            // What merges the results waits no more than they do.
            for (const auto& controller : core.stacks().controllers)
              controller->seen.insert(result.op().node()->id);
            return PyTensor(AsGraph(graph), result);
          },
          "Returns what stands for a tensor that a branch returns.")
      .def(
          "add_op",
          [](Context& c, nb::handle graph, nb::handle op) {
            Check(c.AddOp(OperationOf(AsOperation(op)),
                          PlaceOf(*AsGraph(graph)->core, {})),
                  true);
          },
          "Takes in an op that was made outside of it.");
}

}  // namespace

ContextPlace PlaceOf(GraphCore& core, const std::vector<Output>& inputs) {
  const Stacks& stacks = core.stacks();
  ContextPlace place;
  place.scope = core.scope();
  place.device = stacks.device;
  for (NodeId id : stacks.colocation) {
    const Operation beside(core.graph.get(), core.node(id));
    for (std::string& group : ColocationGroups(beside))
      place.colocation.push_back(std::move(group));
    if (!beside.device().empty()) place.device = beside.device();
  }
  for (const auto& controller : stacks.controllers) {
    const bool waits =
        std::any_of(inputs.begin(), inputs.end(), [&](const Output& input) {
          return controller->seen.contains(input.op().node()->id);
        });
    if (waits) continue;
    for (NodeId id : controller->inputs)
      place.control_inputs.emplace_back(core.graph.get(), core.node(id));
  }
  return place;
}

void BindFlow(nb::module_& m) {
  BindContext(m);
  m.def(
      "make_branch",
      [](const std::string& name, nb::handle pred, nb::handle pivot, int branch,
         Pointer outer) -> Pointer {
        return CondContext::Make(name, OutputFrom(pred), OutputFrom(pivot),
                                 branch, std::move(outer));
      },
      nb::arg("name"), nb::arg("pred"), nb::arg("pivot"), nb::arg("branch"),
      nb::arg("outer").none(),
      "Makes the context of a branch of a conditional; the pivot then belongs "
      "to it.");
  m.def("make_loop", &MakeLoop, nb::arg("graph"), nb::arg("name"),
        nb::arg("parallel_iterations"), nb::arg("back_prop"),
        nb::arg("swap_memory"), nb::arg("maximum_iterations").none(),
        nb::arg("outer").none(), "Makes the context of a loop.");
  m.def(
      "current_context",
      [](nb::handle graph) {
        return AsGraph(graph)->core->graph->control_flow_context();
      },
      "The context in which a graph is built, or None.");
  m.def(
      "set_current_context",
      [](nb::handle graph, Pointer context) {
        AsGraph(graph)->core->graph->SetControlFlowContext(std::move(context));
      },
      nb::arg("graph"), nb::arg("context").none());
  m.def(
      "context_of",
      [](nb::handle op) {
        const Operation operation = OperationOf(AsOperation(op));
        return operation.graph()->ContextOf(operation);
      },
      "The context of an op, or None.");
  m.def(
      "set_context_of",
      [](nb::handle op, Pointer context) {
        const Operation operation = OperationOf(AsOperation(op));
        operation.graph()->SetContextOf(operation, std::move(context));
      },
      nb::arg("op"), nb::arg("context").none());
  m.def(
      "close_loop_variable",
      [](nb::handle merge, nb::handle next) {
        const Output variable = OutputFrom(merge);
        Check(variable.graph()->SetInput(variable.op(), 1, OutputFrom(next)),
              true);
      },
      "Makes a NextIteration the second input of a Merge.");
  m.def(
      "replace_shape",
      [](nb::handle tensor, nb::handle shape) {
        TensorObject* const t = AsTensor(tensor);
        Check(t->graph->core->graph->ReplaceShape(OutputOf(t), ShapeOf(shape)),
              true);
        ++t->graph->core->shape_changes;
      },
      "Sets what is known of a shape, whatever was inferred.");
  m.def("prevent_feeding", [](nb::handle tensor) {
    const Output output = OutputFrom(tensor);
    output.graph()->PreventFeeding(output);
  });
  m.def("prevent_fetching", [](nb::handle op) {
    const Operation operation = OperationOf(AsOperation(op));
    operation.graph()->PreventFetching(operation);
  });
  m.def("is_feedable", [](nb::handle tensor) {
    const Output output = OutputFrom(tensor);
    return output.graph()->IsFeedable(output);
  });
  m.def("is_fetchable", [](nb::handle op) {
    const Operation operation = OperationOf(AsOperation(op));
    return operation.graph()->IsFetchable(operation);
  });
}

}  // namespace millrace::python
