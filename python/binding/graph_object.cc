#include "python/binding/graph_object.h"

#include <structmember.h>

#include "millrace/client/default_tables.h"
#include "millrace/graph/tensor_name.h"
#include "python/binding/python_hooks.h"

namespace millrace::python {
namespace {

PyTypeObject* graph_type = nullptr;
PyTypeObject* operation_type = nullptr;
PyTypeObject* tensor_type = nullptr;
// Set by `with graph.as_default()`, whose stack in Python keeps the graph
// alive.
thread_local GraphObject* current_graph = nullptr;

template <class T>
PyObject* Self(T* object) {
  return reinterpret_cast<PyObject*>(object);
}

// Runs a function of a type's slot: exceptions of C++ become Python's.
template <class F>
PyObject* Guard(F f) {
  try {
    return f();
  } catch (nb::python_error& e) {
    e.restore();
  } catch (const std::exception& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  }
  return nullptr;
}

PyObject* Text(absl::string_view s) {
  return PyUnicode_DecodeUTF8(s.data(), static_cast<Py_ssize_t>(s.size()),
                              "replace");
}

// Graph.

PyObject* NewGraph(PyTypeObject* type, PyObject*, PyObject*) {
  return Guard([&]() -> PyObject* {
    auto* self = reinterpret_cast<GraphObject*>(type->tp_alloc(type, 0));
    if (self) self->core = new GraphCore(DefaultOps());
    return Self(self);
  });
}

int TraverseGraph(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  const GraphCore* core = reinterpret_cast<GraphObject*>(self)->core;
  if (!core) return 0;
  for (const NodeSlot& slot : core->slots) {
    Py_VISIT(slot.op);
    Py_VISIT(slot.outputs);
  }
  return 0;
}

int ClearGraph(PyObject* self) {
  GraphCore* core = reinterpret_cast<GraphObject*>(self)->core;
  if (!core) return 0;
  std::vector<NodeSlot> slots;
  slots.swap(core->slots);
  for (NodeSlot& slot : slots) {
    Py_CLEAR(slot.op);
    Py_CLEAR(slot.outputs);
  }
  return 0;
}

void DeleteGraph(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  ClearGraph(self);
  delete std::exchange(reinterpret_cast<GraphObject*>(self)->core, nullptr);
  type->tp_free(self);
  Py_DECREF(type);
}

// Operation and Tensor.

int TraverseOperation(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(reinterpret_cast<OperationObject*>(self)->graph);
  return 0;
}
int ClearOperation(PyObject*) {
  return 0;
}  // the graph clears its slots, which breaks all cycles
void DeleteOperation(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  Py_CLEAR(reinterpret_cast<OperationObject*>(self)->graph);
  type->tp_free(self);
  Py_DECREF(type);
}

int TraverseTensor(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(reinterpret_cast<TensorObject*>(self)->graph);
  Py_VISIT(reinterpret_cast<TensorObject*>(self)->shape);
  return 0;
}
int ClearTensor(PyObject* self) {
  Py_CLEAR(reinterpret_cast<TensorObject*>(self)->shape);
  return 0;
}
void DeleteTensor(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  Py_CLEAR(reinterpret_cast<TensorObject*>(self)->shape);
  Py_CLEAR(reinterpret_cast<TensorObject*>(self)->graph);
  type->tp_free(self);
  Py_DECREF(type);
}

OperationObject* Op(PyObject* self) {
  return reinterpret_cast<OperationObject*>(self);
}
TensorObject* Ten(PyObject* self) {
  return reinterpret_cast<TensorObject*>(self);
}

PyObject* OpGraph(PyObject* self, void*) {
  return Py_NewRef(Self(Op(self)->graph));
}
PyObject* OpName(PyObject* self, void*) { return Text(Op(self)->node->name); }
PyObject* OpType(PyObject* self, void*) {
  const Node* const node = Op(self)->node;
  if (node->op->role != OpRole::kCall) return Text(node->op->name);
  return Text(Op(self)->graph->core->graph->TypeOf(OperationOf(Op(self))));
}
PyObject* OpDevice(PyObject* self, void*) {
  return Text(Op(self)->node->requested_device);
}
PyObject* OpId(PyObject* self, void*) {
  return PyLong_FromLong(Op(self)->node->id);
}
PyObject* OpOutputs(PyObject* self, void*) {
  return Guard([&]() -> PyObject* {
    nb::list list;
    for (int i = 0; i < Op(self)->node->num_outputs(); ++i)
      list.append(PyTensor(Op(self)->graph, Op(self)->node, i));
    return list.release().ptr();
  });
}
PyObject* OpInputs(PyObject* self, void*) {
  return Guard([&]() -> PyObject* {
    nb::list list;
    for (const OutputRef& in : Op(self)->node->inputs) {
      if (in.node == kNoNode) {
        list.append(nb::none());
      } else {
        list.append(PyTensor(Op(self)->graph,
                             Op(self)->graph->core->node(in.node), in.port));
      }
    }
    return list.release().ptr();
  });
}
PyObject* OpControlInputs(PyObject* self, void*) {
  return Guard([&]() -> PyObject* {
    nb::list list;
    for (const NodeId id : Op(self)->node->control_inputs) {
      list.append(
          PyOperation(Op(self)->graph, Op(self)->graph->core->node(id)));
    }
    return list.release().ptr();
  });
}

PyObject* TensorGraph(PyObject* self, void*) {
  return Py_NewRef(Self(Ten(self)->graph));
}
PyObject* TensorOp(PyObject* self, void*) {
  return Guard([&] {
    return PyOperation(Ten(self)->graph, Ten(self)->node).release().ptr();
  });
}
PyObject* TensorIndex(PyObject* self, void*) {
  return PyLong_FromLong(Ten(self)->port);
}
PyObject* TensorDType(PyObject* self, void*) {
  return Py_NewRef(PyDType(Ten(self)->node->output_types[Ten(self)->port]));
}
PyObject* TensorNameOf(PyObject* self, void*) {
  return Text(TensorNameText(Ten(self)->node->name, Ten(self)->port));
}
PyObject* TensorShapeOf(PyObject* self, void*) {
  return Guard([&]() -> PyObject* {
    TensorObject* t = Ten(self);
    const int64_t now = t->graph->core->shape_changes;
    if (!t->shape || t->shape_time != now) {
      nb::object known = PyShape(OutputOf(t).shape());
      PyObject* made = PyObject_CallOneArg(hooks().shape, known.ptr());
      if (!made) throw nb::python_error();
      Py_XSETREF(t->shape, made);
      t->shape_time = now;
    }
    return Py_NewRef(t->shape);
  });
}
PyObject* TensorConsumers(PyObject* self, PyObject*) {
  return Guard([&]() -> PyObject* {
    nb::list list;
    std::vector<NodeId> found;
    for (const OutEdge& edge : Ten(self)->node->out_edges) {
      if (edge.port == Ten(self)->port) found.push_back(edge.dst);
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    for (NodeId id : found)
      list.append(
          PyOperation(Ten(self)->graph, Ten(self)->graph->core->node(id)));
    return list.release().ptr();
  });
}

PyGetSetDef operation_getters[] = {
    {"graph", OpGraph, nullptr, "The graph that has this operation.", nullptr},
    {"name", OpName, nullptr, "The full name.", nullptr},
    {"type", OpType, nullptr, "The type of op.", nullptr},
    {"device", OpDevice, nullptr,
     "The name of the requested device, \"\" if there is none.", nullptr},
    {"_id", OpId, nullptr, "The number of the operation in its graph.",
     nullptr},
    {"outputs", OpOutputs, nullptr, "The list of outputs.", nullptr},
    {"inputs", OpInputs, nullptr, "The list of inputs.", nullptr},
    {"control_inputs", OpControlInputs, nullptr,
     "The list of operations that run before this one.", nullptr},
    {}};
PyGetSetDef tensor_getters[] = {
    {"graph", TensorGraph, nullptr, "The graph that has this tensor.", nullptr},
    {"op", TensorOp, nullptr, "The operation that makes it.", nullptr},
    {"value_index", TensorIndex, nullptr,
     "Its number among the operation's outputs.", nullptr},
    {"dtype", TensorDType, nullptr, "The type of its elements.", nullptr},
    {"name", TensorNameOf, nullptr,
     "The operation's name, a colon and the number of the output.", nullptr},
    {"shape", TensorShapeOf, nullptr, "What is known of its shape.", nullptr},
    {}};
PyMethodDef tensor_methods[] = {
    {"consumers", TensorConsumers, METH_NOARGS,
     "Returns the operations that have it as an input."},
    {}};

constexpr unsigned kFlags =
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC;

template <class F>
void* Slot(F* f) {
  return reinterpret_cast<void*>(f);
}

PyTypeObject* MakeType(nb::module_& m, const char* name, const char* full_name,
                       size_t size, PyType_Slot* slots) {
  PyType_Spec spec{full_name, static_cast<int>(size), 0, kFlags, slots};
  PyObject* type = PyType_FromSpec(&spec);
  if (!type) throw nb::python_error();
  m.attr(name) = nb::borrow(type);
  return reinterpret_cast<PyTypeObject*>(type);
}

}  // namespace

Stacks& GraphCore::stacks() {
  return thread_local_stacks ? own[PyThread_get_thread_ident()] : shared;
}
std::string& GraphCore::scope() { return scopes[PyThread_get_thread_ident()]; }

NodeSlot& GraphCore::slot(NodeId id) {
  if (static_cast<size_t>(id) >= slots.size())
    slots.resize(static_cast<size_t>(id) + 1);
  return slots[id];
}

const Node* GraphCore::node(NodeId id) const {
  const Node* found = nullptr;
  graph->Read([&](const Graph& g) {
    if (id >= 0 && id < g.num_ids()) found = g.node(id);
  });
  return found;
}

bool IsTensor(PyObject* o) { return PyObject_TypeCheck(o, tensor_type); }
bool IsOperation(PyObject* o) { return PyObject_TypeCheck(o, operation_type); }
bool IsGraph(PyObject* o) { return PyObject_TypeCheck(o, graph_type); }

GraphObject* AsGraph(nb::handle h) {
  if (!IsGraph(h.ptr())) throw nb::type_error("expected a Graph");
  return reinterpret_cast<GraphObject*>(h.ptr());
}
OperationObject* AsOperation(nb::handle h) {
  if (!IsOperation(h.ptr())) throw nb::type_error("expected an Operation");
  return reinterpret_cast<OperationObject*>(h.ptr());
}
TensorObject* AsTensor(nb::handle h) {
  if (!IsTensor(h.ptr())) throw nb::type_error("expected a Tensor");
  return reinterpret_cast<TensorObject*>(h.ptr());
}

nb::object PyOperation(GraphObject* graph, const Node* node) {
  PyObject*& op = graph->core->slot(node->id).op;
  if (!op) {
    auto* type = reinterpret_cast<PyTypeObject*>(hooks().operation_class);
    PyObject* made = type->tp_alloc(type, 0);
    if (!made) throw nb::python_error();
    Op(made)->graph = reinterpret_cast<GraphObject*>(Py_NewRef(Self(graph)));
    Op(made)->node = node;
    graph->core->slot(node->id).op = made;
    return nb::borrow(made);
  }
  return nb::borrow(op);
}

nb::object PyTensor(GraphObject* graph, const Node* node, int port) {
  const auto make = [&](int number) {
    auto* type = reinterpret_cast<PyTypeObject*>(hooks().tensor_class);
    PyObject* made = type->tp_alloc(type, 0);
    if (!made) throw nb::python_error();
    Ten(made)->graph = reinterpret_cast<GraphObject*>(Py_NewRef(Self(graph)));
    Ten(made)->node = node;
    Ten(made)->port = number;
    return made;
  };
  PyObject* outputs = graph->core->slot(node->id).outputs;
  if (!outputs) {
    if (node->num_outputs() == 1) {
      outputs = make(0);
    } else {
      outputs = PyTuple_New(node->num_outputs());
      if (!outputs) throw nb::python_error();
      for (int i = 0; i < node->num_outputs(); ++i)
        PyTuple_SET_ITEM(outputs, i, make(i));
    }
    graph->core->slot(node->id).outputs = outputs;
  }
  return nb::borrow(node->num_outputs() == 1 ? outputs
                                             : PyTuple_GET_ITEM(outputs, port));
}

nb::object PyShape(const PartialShape& shape) {
  if (!shape.known_rank()) return nb::none();
  PyObject* tuple = PyTuple_New(shape.rank());
  if (!tuple) throw nb::python_error();
  for (int i = 0; i < shape.rank(); ++i) {
    PyTuple_SET_ITEM(tuple, i,
                     shape.dim(i) < 0 ? Py_NewRef(Py_None)
                                      : PyLong_FromLongLong(shape.dim(i)));
  }
  return nb::steal(tuple);
}

PartialShape ShapeOf(nb::handle shape) {
  if (shape.is_none()) return PartialShape();
  nb::object dims = nb::borrow(shape);
  if (PyObject_HasAttrString(shape.ptr(), "dims")) {  // TensorShape
    dims = shape.attr("dims");
    if (dims.is_none()) return PartialShape();
  }
  DimVector sizes;
  for (nb::handle dim : dims) {
    nb::object size = nb::borrow(dim);
    if (!size.is_none() && PyObject_HasAttrString(size.ptr(), "value"))
      size = size.attr("value");  // Dimension
    if (size.is_none()) {
      sizes.push_back(kUnknownDim);
      continue;
    }
    nb::object number = nb::steal(PyNumber_Index(size.ptr()));
    if (!number.is_valid()) throw nb::python_error();
    const int64_t value = PyLong_AsLongLong(number.ptr());
    if (value == -1 && PyErr_Occurred()) throw nb::python_error();
    sizes.push_back(value);
  }
  return Take(PartialShape::Make(sizes), /*building=*/true);
}

GraphObject* CurrentGraph() { return current_graph; }

void BindGraphObjects(nb::module_& m) {
  PyType_Slot graph_slots[] = {{Py_tp_new, Slot(NewGraph)},
                               {Py_tp_traverse, Slot(TraverseGraph)},
                               {Py_tp_clear, Slot(ClearGraph)},
                               {Py_tp_dealloc, Slot(DeleteGraph)},
                               {0, nullptr}};
  graph_type = MakeType(m, "Graph", "millrace._binding.Graph",
                        sizeof(GraphObject), graph_slots);
  PyType_Slot operation_slots[] = {{Py_tp_traverse, Slot(TraverseOperation)},
                                   {Py_tp_clear, Slot(ClearOperation)},
                                   {Py_tp_dealloc, Slot(DeleteOperation)},
                                   {Py_tp_getset, operation_getters},
                                   {0, nullptr}};
  operation_type = MakeType(m, "Operation", "millrace._binding.Operation",
                            sizeof(OperationObject), operation_slots);
  PyType_Slot tensor_slots[] = {
      {Py_tp_traverse, Slot(TraverseTensor)}, {Py_tp_clear, Slot(ClearTensor)},
      {Py_tp_dealloc, Slot(DeleteTensor)},    {Py_tp_getset, tensor_getters},
      {Py_tp_methods, tensor_methods},        {0, nullptr}};
  tensor_type = MakeType(m, "Tensor", "millrace._binding.Tensor",
                         sizeof(TensorObject), tensor_slots);
  m.def(
      "set_current_graph",
      [](nb::handle graph) {
        current_graph = graph.is_none() ? nullptr : AsGraph(graph);
      },
      nb::arg("graph").none(),
      "Sets the default graph of this thread, which the caller keeps alive.");
}

}  // namespace millrace::python
