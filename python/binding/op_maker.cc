#include "python/binding/op_maker.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "millrace/client/default_tables.h"
#include "python/binding/attr_values.h"
#include "python/binding/python_hooks.h"

namespace millrace::python {
namespace {

bool IsInferred(const OpDef& op, absl::string_view attr) {
  return std::any_of(
      op.inputs.begin(), op.inputs.end(), [&](const ArgDef& arg) {
        return arg.type_attr == attr || arg.number_attr == attr ||
               arg.type_list_attr == attr;
      });
}

// The name of an op's function, as opgen makes it.
std::string FunctionName(const std::string& op) {
  std::string name;
  for (size_t i = 0; i < op.size(); ++i) {
    const auto lower = [&](size_t k) {
      return k < op.size() &&
             absl::ascii_islower(static_cast<unsigned char>(op[k]));
    };
    const bool upper = absl::ascii_isupper(static_cast<unsigned char>(op[i]));
    if (upper && i > 0 && (lower(i - 1) || lower(i + 1))) name += '_';
    name += static_cast<char>(
        absl::ascii_tolower(static_cast<unsigned char>(op[i])));
  }
  return name;
}

OpInfo MakeInfo(const OpDef& op) {
  OpInfo info;
  info.def = &op;
  info.function = FunctionName(op.name);
  for (const bool with_default : {false, true}) {
    for (const AttrDef& attr : op.attrs) {
      if (attr.default_value.has_value() == with_default &&
          !IsInferred(op, attr.name))
        info.parameters.push_back(&attr);
    }
  }
  info.has_ref_input = std::any_of(op.inputs.begin(), op.inputs.end(),
                                   [](const ArgDef& a) { return a.is_ref; });
  return info;
}

// Infos by the Python string that wrappers pass, which is one object a place in
// the code.
OpInfo* InfoOf(PyObject* type) {
  static auto& known = *new absl::flat_hash_map<PyObject*, OpInfo*>;
  const auto found = known.find(type);
  if (found != known.end()) return found->second;
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(type, &size);
  if (!text) throw nb::python_error();
  OpInfo* info = FindOp({text, static_cast<size_t>(size)});
  if (info && known.size() < 10000) known.emplace(Py_NewRef(type), info);
  return info;
}

bool IsList(PyObject* o) { return PyList_Check(o) || PyTuple_Check(o); }

// The graph of the first tensor among the inputs; null if another kind of input
// is among them.
GraphObject* GraphOfInputs(PyObject* inputs, bool* only_tensors) {
  GraphObject* graph = nullptr;
  const auto look = [&](PyObject* o) {
    if (!IsTensor(o)) {
      *only_tensors = false;
    } else if (!graph) {
      graph = reinterpret_cast<TensorObject*>(o)->graph;
    } else if (graph != reinterpret_cast<TensorObject*>(o)->graph) {
      *only_tensors = false;  // Python has the words for it
    }
  };
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(inputs); ++i) {
    PyObject* input = PyTuple_GET_ITEM(inputs, i);
    if (IsList(input)) {
      for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(input); ++k)
        look(PySequence_Fast_GET_ITEM(input, k));
    } else {
      look(input);
    }
  }
  return graph;
}

// Reads the inputs of one op, all of them tensors of one graph, and infers the
// attributes that follow from them. Returns false where something does not fit,
// which Python's way reports.
class InputReader {
 public:
  InputReader(const OpInfo& info, AttrMap* attrs, NewOp* op)
      : info_(info), attrs_(*attrs), op_(*op) {}

  bool Read(PyObject* inputs) {
    const OpDef& def = *info_.def;
    if (static_cast<size_t>(PyTuple_GET_SIZE(inputs)) != def.inputs.size())
      return false;
    for (size_t i = 0; i < def.inputs.size(); ++i) {
      const ArgDef& arg = def.inputs[i];
      PyObject* const input =
          PyTuple_GET_ITEM(inputs, static_cast<Py_ssize_t>(i));
      const bool is_list =
          !arg.number_attr.empty() || !arg.type_list_attr.empty();
      if (is_list != IsList(input)) return false;
      if (is_list ? !ReadList(arg, input) : !ReadOne(arg, input)) return false;
    }
    return true;
  }

 private:
  // Checks and sets an attribute.
  template <class T>
  bool Infer(const ArgDef& arg, const std::string& name, const T& value) {
    if (const AttrValue* known = attrs_.Find(name)) {
      const T* same = known->get<T>();
      return same && *same == value;
    }
    const AttrDef* def = info_.def->FindAttr(name);
    AttrValue attr(value);
    if (def && (def->allowed.has_value() || def->minimum)) {
      try {
        CheckConstraints(*def, attr, info_.def->name, arg.name);
      } catch (const std::exception&) {
        return false;
      }
    }
    attrs_.Set(name, std::move(attr));
    return true;
  }

  bool ReadOne(const ArgDef& arg, PyObject* input) {
    const auto* tensor = reinterpret_cast<TensorObject*>(input);
    const DataType type = tensor->node->output_types[tensor->port];
    if (arg.is_ref) {
      if (!IsRef(type)) return false;
      op_.beside.push_back(tensor->node->id);
    }
    op_.inputs.push_back(OutputOf(tensor));
    if (!arg.type_list_attr.empty()) return true;
    return arg.type_attr.empty() ? RemoveRef(type) == RemoveRef(arg.type)
                                 : Infer(arg, arg.type_attr, RemoveRef(type));
  }

  bool ReadList(const ArgDef& arg, PyObject* list) {
    const Py_ssize_t size = PySequence_Fast_GET_SIZE(list);
    if (!arg.number_attr.empty()) {
      if (size == 0 && !arg.type_attr.empty()) return false;
      if (!Infer(arg, arg.number_attr, int64_t{size})) return false;
    }
    AttrValue::TypeList types;
    for (Py_ssize_t i = 0; i < size; ++i) {
      PyObject* const input = PySequence_Fast_GET_ITEM(list, i);
      if (!ReadOne(arg, input)) return false;
      const auto* tensor = reinterpret_cast<TensorObject*>(input);
      types.push_back(RemoveRef(tensor->node->output_types[tensor->port]));
    }
    return arg.type_list_attr.empty() || Infer(arg, arg.type_list_attr, types);
  }

  const OpInfo& info_;
  AttrMap& attrs_;
  NewOp& op_;
};

// Groups of colocation of a node: those that it names, otherwise its own.
void AddGroups(const Node& node, std::vector<std::string>* groups) {
  bool any = false;
  if (const AttrValue* given = node.attrs.Find("_class")) {
    if (const auto* list = given->get<AttrValue::StringList>()) {
      for (const std::string& group : *list) {
        if (!absl::StartsWith(group, "loc:@")) continue;
        groups->push_back(group);
        any = true;
      }
    }
  }
  if (!any) groups->push_back(absl::StrCat("loc:@", node.name));
}

// The control inputs of controllers in force, without those of controllers of
// which an input is known to wait already.
void AddControlInputs(const Stacks& stacks, ClientGraph* graph, GraphCore& core,
                      NewOp* op) {
  for (const auto& controller : stacks.controllers) {
    const bool dominated = std::any_of(
        op->inputs.begin(), op->inputs.end(), [&](const Output& input) {
          return controller->seen.contains(input.op().node()->id);
        });
    if (dominated) continue;
    for (NodeId id : controller->inputs) {
      if (const Node* node = core.node(id))
        op->control_inputs.emplace_back(graph, node);
    }
  }
}

PyObject* ApplySlowly(PyObject* const* args) {
  return PyObject_Vectorcall(hooks().apply, args, 4, nullptr);
}

// apply(op type, name, inputs, attrs)
PyObject* Apply(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (count != 4 || !PyTuple_Check(args[2]) || !PyTuple_Check(args[3])) {
    PyErr_SetString(PyExc_TypeError, "apply(op type, name, inputs, attrs)");
    return nullptr;
  }
  try {
    OpInfo* const info = InfoOf(args[0]);
    const size_t given = static_cast<size_t>(PyTuple_GET_SIZE(args[3]));
    if (!info || given != info->parameters.size()) return ApplySlowly(args);
    // Attributes come first: an error of theirs makes no constants of inputs.
    AttrMap attrs;
    bool plain = true;
    for (size_t i = 0; i < given; ++i) {
      PyObject* const value =
          PyTuple_GET_ITEM(args[3], static_cast<Py_ssize_t>(i));
      const AttrDef& def = *info->parameters[i];
      if (value == Py_None && (def.default_value || def.kind != "shape")) {
        plain = plain && def.default_value.has_value();
        continue;
      }
      if (absl::StrContains(
              def.kind, "func")) {  // which may have to be added to the graph
        plain = false;
        continue;
      }
      if (absl::StartsWith(def.kind, "list(") && !IsList(value) &&
          !PyObject_HasAttrString(value, "__len__")) {
        const std::string repr =
            nb::cast<std::string>(nb::repr(nb::handle(value)));
        throw nb::type_error(absl::StrCat("Expected list for '", def.name,
                                          "' argument to '", info->function,
                                          "' Op, not ", repr, ".")
                                 .c_str());
      }
      AttrValue attr = AttrFrom(def.kind, value, def.name);
      if (def.default_value && *def.default_value == attr) continue;
      attrs.Set(def.name, std::move(attr));
    }
    if (!plain) return ApplySlowly(args);
    bool only_tensors = true;
    NewOp op{};
    op.graph = GraphOfInputs(args[2], &only_tensors);
    if (!only_tensors) return ApplySlowly(args);
    // In the graph of a function, tensors of outside have to be captured.
    if (op.graph && CurrentGraph() && op.graph != CurrentGraph())
      return ApplySlowly(args);
    for (const auto& [name, value] : attrs) {
      const AttrDef& def = *info->def->FindAttr(name);
      if (def.minimum || def.allowed.has_value())
        CheckConstraints(def, value, info->def->name, "");
    }
    nb::object keep;
    if (!op.graph && !(op.graph = CurrentGraph())) {
      keep = nb::steal(PyObject_CallNoArgs(hooks().default_graph));
      if (!keep.is_valid()) throw nb::python_error();
      op.graph = AsGraph(keep);
    }
    GraphCore& core = *op.graph->core;
    if (core.finalized || (args[1] != Py_None && !PyUnicode_Check(args[1])))
      return ApplySlowly(args);
    if (!InputReader(*info, &attrs, &op).Read(args[2]))
      return ApplySlowly(args);
    std::string name;
    if (args[1] == Py_None) {
      name = info->def->name;
    } else {
      Py_ssize_t size = 0;
      const char* text = PyUnicode_AsUTF8AndSize(args[1], &size);
      if (!text) throw nb::python_error();
      name.assign(text, static_cast<size_t>(size));
      if (name.empty()) return ApplySlowly(args);
    }
    if (name.back() == '/') {
      name.pop_back();
      if (!IsValidNodeName(name)) return ApplySlowly(args);
    } else {
      const bool valid =
          core.scope().empty() ? IsValidNodeName(name) : IsValidScopeName(name);
      if (!valid) return ApplySlowly(args);
      name = NameInScope(core, name);
    }
    op.type = info->def->name;
    op.name = std::move(name);
    op.attrs = std::move(attrs);
    GraphObject* const graph = op.graph;
    const Node* node = AddOp(std::move(op));
    return ResultOf(graph, *info, node).release().ptr();
  } catch (nb::python_error& e) {
    e.restore();
  } catch (nb::builtin_exception& e) {
    PyErr_SetString(e.type() == nb::exception_type::value_error
                        ? PyExc_ValueError
                        : PyExc_TypeError,
                    e.what());
  } catch (const std::exception& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  }
  return nullptr;
}

PyMethodDef apply_method = {
    "apply", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(Apply)),
    METH_FASTCALL,
    "apply(op type, name, inputs, attrs): makes an op from a wrapper's "
    "arguments."};

// Adds a node whose inputs and attributes Python has found.
nb::object Create(nb::handle graph, const std::string& type,
                  const std::string& name, const nb::list& inputs,
                  const nb::list& control_inputs, const nb::dict& attrs,
                  bool compute_device) {
  NewOp op{};
  op.graph = AsGraph(graph);
  op.compute_device = compute_device;
  op.name = name;
  const OpDef* def = Take(op.graph->core->graph->FindOp(type));
  op.type = type;
  for (nb::handle input : inputs)
    op.inputs.push_back(OutputOf(AsTensor(input)));
  for (nb::handle input : control_inputs)
    op.control_inputs.push_back(OperationOf(AsOperation(input)));
  for (auto [key, value] : attrs) {
    const std::string attr = nb::cast<std::string>(key);
    const AttrDef* known = def->FindAttr(attr);
    if (PyBytes_Check(value.ptr()) && (!known || known->kind != "string")) {
      op.attrs.Set(
          attr,
          AttrFromProto({PyBytes_AS_STRING(value.ptr()),
                         static_cast<size_t>(PyBytes_GET_SIZE(value.ptr()))}));
    } else if (known) {
      AttrValue v = AttrFrom(known->kind, value, attr);
      CheckConstraints(*known, v, type, "");
      op.attrs.Set(attr, std::move(v));
    } else {
      throw nb::type_error(
          absl::StrCat("'", type, "' has no attr named '", attr, "'").c_str());
    }
  }
  size_t at = 0;
  for (const ArgDef& arg : def->inputs) {
    auto range = FindArgRange(def->inputs, op.attrs, arg.name);
    if (arg.is_ref && range.ok()) {
      for (int k = range->begin;
           k < range->end && static_cast<size_t>(k) < op.inputs.size(); ++k) {
        op.beside.push_back(op.inputs[static_cast<size_t>(k)].op().node()->id);
      }
    }
    ++at;
  }
  GraphObject* const owner = op.graph;
  return PyOperation(owner, AddOp(std::move(op)));
}

}  // namespace

OpInfo* FindOp(absl::string_view type) {
  static auto& infos =
      *new absl::flat_hash_map<std::string, std::unique_ptr<OpInfo>>;
  const auto found = infos.find(type);
  if (found != infos.end()) return found->second.get();
  const OpDef* def = DefaultOps().Find(type);
  if (!def) return nullptr;
  return infos
      .emplace(std::string(type), std::make_unique<OpInfo>(MakeInfo(*def)))
      .first->second.get();
}

std::string NameInScope(GraphCore& core, absl::string_view name) {
  const std::string& scope = core.scope();
  return core.graph->UniqueName(scope.empty() ? std::string(name)
                                              : absl::StrCat(scope, name));
}

const Node* AddOp(NewOp op) {
  GraphCore& core = *op.graph->core;
  ClientGraph* const graph = core.graph.get();
  if (core.finalized) {
    PyErr_SetString(PyExc_RuntimeError,
                    "Graph is finalized and cannot be modified.");
    throw nb::python_error();
  }
  Stacks& stacks = core.stacks();
  if (!stacks.controllers.empty()) AddControlInputs(stacks, graph, core, &op);
  ClientGraph::NodeSpec spec;
  spec.name = std::move(op.name);
  spec.op = std::string(op.type);
  spec.inputs = op.inputs;
  spec.attrs = std::move(op.attrs);
  spec.control_inputs = std::move(op.control_inputs);
  if (op.beside.empty() && op.compute_device) spec.device = stacks.device;
  const bool functions =
      stacks.device_functions && op.beside.empty() && op.compute_device;
  for (const auto* ids : {&stacks.colocation, &op.beside}) {
    for (NodeId id : *ids) {
      const Node* beside = core.node(id);
      AddGroups(*beside, &spec.colocation);
      if (!beside->requested_device.empty())
        spec.device = beside->requested_device;
    }
  }
  spec.container = core.container;
  for (const auto& [name, value] : core.extra_attrs) {
    // Ops beside which it is made stand for the groups that a scope of
    // attributes says.
    if (name == "_class" && !spec.colocation.empty()) continue;
    if (!spec.attrs.Find(name)) spec.attrs.Set(name, value);
  }
  if (!core.gradient_overrides.empty()) {
    const auto found = core.gradient_overrides.find(spec.op);
    if (found != core.gradient_overrides.end())
      spec.attrs.Set("_gradient_op_type", found->second);
  }
  const Operation made = Take(graph->AddNode(spec), /*building=*/true);
  const Node* node = made.node();
  core.slot(node->id).trace = core.traces.Capture();
  for (const auto& controller : stacks.controllers)
    controller->seen.insert(node->id);
  if (functions || core.slow_attrs) {
    nb::object op_object = PyOperation(op.graph, node);
    nb::object done =
        nb::steal(PyObject_CallOneArg(hooks().after, op_object.ptr()));
    if (!done.is_valid()) throw nb::python_error();
  }
  return node;
}

nb::object ResultOf(GraphObject* graph, OpInfo& info, const Node* node) {
  const OpDef& def = *info.def;
  if (def.outputs.empty()) return PyOperation(graph, node);
  const auto value = [&](const ArgDef& arg) -> nb::object {
    if (arg.number_attr.empty() && arg.type_list_attr.empty() &&
        def.outputs.size() == 1)
      return PyTensor(graph, node, 0);
    const ArgRange range =
        Take(FindArgRange(def.outputs, node->attrs, arg.name));
    if (arg.number_attr.empty() && arg.type_list_attr.empty())
      return PyTensor(graph, node, range.begin);
    nb::list list;
    for (int i = range.begin; i < range.end; ++i)
      list.append(PyTensor(graph, node, i));
    return list;
  };
  if (def.outputs.size() == 1) {
    // A list without elements stands for the operation.
    nb::object only = value(def.outputs[0]);
    return node->num_outputs() == 0 ? PyOperation(graph, node) : only;
  }
  if (!info.result) {
    nb::object type =
        nb::steal(PyObject_CallFunction(hooks().result, "s", def.name.c_str()));
    if (!type.is_valid()) throw nb::python_error();
    info.result = type.release().ptr();
  }
  nb::list values;
  for (const ArgDef& arg : def.outputs) values.append(value(arg));
  nb::object tuple = nb::steal(PyList_AsTuple(values.ptr()));
  nb::object made = nb::steal(PyObject_CallObject(info.result, tuple.ptr()));
  if (!made.is_valid()) throw nb::python_error();
  return made;
}

void BindOpMaker(nb::module_& m) {
  PyObject* apply = PyCFunction_New(&apply_method, nullptr);
  if (!apply) throw nb::python_error();
  m.attr("apply") = nb::steal(apply);
  m.def("create", &Create, nb::arg("graph"), nb::arg("type"), nb::arg("name"),
        nb::arg("inputs"), nb::arg("control_inputs"), nb::arg("attrs"),
        nb::arg("compute_device") = true,
        "Adds a node under a full, unique name, and returns its Operation. "
        "Attributes are values by the schema's kinds, or the "
        "bytes of an AttrValue.");
  m.def(
      "result",
      [](nb::handle op) {
        OperationObject* o = AsOperation(op);
        OpInfo* info = FindOp(o->node->op->name);
        if (!info) throw nb::type_error("the op of a function has no wrapper");
        return ResultOf(o->graph, *info, o->node);
      },
      "Returns the outputs of an operation as a wrapper does.");
}

}  // namespace millrace::python
