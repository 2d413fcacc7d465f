// The functions of a graph and of its nodes: names, what surrounds the making
// of ops, changes, export and import.
#include <nanobind/stl/string.h>

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "millrace/client/control_flow_context.h"
#include "millrace/graph/graph_proto.h"
#include "millrace/graph/import.h"
#include "python/binding/attr_values.h"
#include "python/binding/graph_object.h"
#include "python/binding/op_maker.h"
#include "python/binding/parts.h"
#include "python/binding/python_hooks.h"
#include "python/binding/values.h"

namespace millrace::python {
namespace {

GraphCore& Core(nb::handle graph) { return *AsGraph(graph)->core; }
absl::string_view View(const nb::bytes& b) { return {b.c_str(), b.size()}; }
nb::bytes Bytes(const std::string& s) { return nb::bytes(s.data(), s.size()); }

std::vector<NodeId> Ids(const nb::list& ops) {
  std::vector<NodeId> ids;
  for (nb::handle op : ops) ids.push_back(AsOperation(op)->node->id);
  return ids;
}

nb::list Operations(nb::handle graph, int64_t from) {
  GraphObject* g = AsGraph(graph);
  std::vector<const Node*> nodes;
  g->core->graph->Read([&](const Graph& all) {
    for (NodeId id = static_cast<NodeId>(from); id < all.num_ids(); ++id) {
      if (const Node* node = all.node(id)) nodes.push_back(node);
    }
  });
  nb::list list;
  for (const Node* node : nodes) list.append(PyOperation(g, node));
  return list;
}

// As stock clients write graphs: control inputs in the order of their names.
void SortControlInputs(GraphDef* def) {
  for (NodeDef& node : def->nodes) {
    const auto first =
        std::find_if(node.inputs.begin(), node.inputs.end(),
                     [](const std::string& in) { return in[0] == '^'; });
    std::sort(first, node.inputs.end());
  }
}

nb::bytes ExportGraph(nb::handle graph, int64_t from, bool functions) {
  GraphCore& core = Core(graph);
  GraphMark mark;
  mark.nodes = static_cast<NodeId>(from);
  GraphMark end = core.graph->End();
  GraphDef def = core.graph->Export(mark, end);
  if (!functions) def.library = {};
  SortControlInputs(&def);
  return Bytes(SerializeGraphDef(def));
}

nb::bytes NodeBytes(nb::handle op) {
  OperationObject* o = AsOperation(op);
  GraphDef def;
  o->graph->core->graph->Read(
      [&](const Graph& g) { def.nodes.push_back(ExportNode(g, *o->node)); });
  if (o->graph->core->graph->IsCalledByName(OperationOf(o)))
    NameCall(&def.nodes.back());
  SortControlInputs(&def);
  return Bytes(SerializeGraphDef(def));
}

// The bytes of a GraphDef whose only function has the op's schema as its
// signature.
nb::bytes SchemaBytes(const OpDef& op) {
  GraphDef def;
  def.library.functions.emplace_back().signature = op;
  return Bytes(SerializeGraphDef(def));
}

// Returns INVALID_ARGUMENT if a colocation group names a node that the def
// doesn't have.
Status CheckColocation(const GraphDef& def) {
  absl::flat_hash_set<absl::string_view> names;
  names.reserve(def.nodes.size());
  for (const NodeDef& node : def.nodes) names.insert(node.name);
  for (const NodeDef& node : def.nodes) {
    const AttrValue* const classes = node.attrs.Find("_class");
    if (classes == nullptr) continue;
    const auto* const groups = classes->get<AttrValue::StringList>();
    if (groups == nullptr) continue;
    for (absl::string_view group : *groups) {
      if (!absl::ConsumePrefix(&group, "loc:@") || names.contains(group))
        continue;
      return InvalidArgument("Node '", node.name,
                             "' expects to be colocated with unknown node '",
                             group, "'");
    }
  }
  return OkStatus();
}

void ImportGraph(nb::handle graph, const nb::bytes& bytes,
                 const std::string& prefix, const nb::list& input_map) {
  GraphCore& core = Core(graph);
  const GraphDef def = Take(ParseGraphDef(View(bytes)), /*building=*/true);
  Check(CheckColocation(def), /*building=*/true);
  std::vector<std::pair<std::string, Output>> map;
  for (nb::handle pair : input_map) {
    map.emplace_back(nb::cast<std::string>(pair[0]),
                     OutputOf(AsTensor(pair[1])));
  }
  const NodeId first = core.graph->End().nodes;
  Check(core.graph->Import(def, prefix, map), /*building=*/true);
  ++core.shape_changes;
  const int32_t trace = core.traces.Capture();
  for (NodeId id = first; id < core.graph->End().nodes; ++id)
    core.slot(id).trace = trace;
}

void AddFunctions(nb::handle graph, const nb::bytes& library) {
  // A GraphDef with nothing but this library.
  ChunkWriter out;
  out.RequiredBytesField(2, View(library));
  const GraphDef def =
      Take(ParseGraphDef(std::move(out).Finish().Flatten()), /*building=*/true);
  Check(Core(graph).graph->AddFunctions(def.library), /*building=*/true);
}

nb::object GetAttr(nb::handle op, const std::string& name) {
  OperationObject* o = AsOperation(op);
  const AttrValue* value = o->node->attrs.Find(name);
  if (!value) {
    throw nb::value_error(absl::StrCat("Operation '", o->node->name,
                                       "' has no attr named '", name, "'.")
                              .c_str());
  }
  return PyAttr(*value);
}

void SetAttr(nb::handle op, const std::string& name, const nb::bytes& value) {
  OperationObject* o = AsOperation(op);
  Check(o->graph->core->graph->SetAttr(OperationOf(o), name,
                                       AttrFromProto(View(value))),
        /*building=*/true);
}

void SetInput(nb::handle op, int index, nb::handle tensor) {
  OperationObject* o = AsOperation(op);
  Check(o->graph->core->graph->SetInput(OperationOf(o), index,
                                        OutputOf(AsTensor(tensor))),
        /*building=*/true);
  ++o->graph->core->shape_changes;
}

nb::object ConstantOf(nb::handle tensor) {
  std::optional<Tensor> value = ConstantValue(OutputOf(AsTensor(tensor)));
  return value ? ArrayOf(*std::move(value)) : nb::none();
}

nb::list HandleShapes(nb::handle tensor) {
  nb::list list;
  TensorObject* t = AsTensor(tensor);
  for (const HandleShape& h : t->graph->core->graph->Handles(OutputOf(t))) {
    list.append(nb::make_tuple(PyShape(h.shape), nb::borrow(PyDType(h.dtype))));
  }
  return list;
}

void SetShape(nb::handle tensor, nb::handle shape) {
  TensorObject* t = AsTensor(tensor);
  Check(t->graph->core->graph->MergeShape(OutputOf(t), ShapeOf(shape)),
        /*building=*/true);
  ++t->graph->core->shape_changes;
}

void SetAttrScopes(nb::handle graph, const nb::dict& values, bool functions) {
  GraphCore& core = Core(graph);
  core.extra_attrs = AttrMap();
  for (auto [name, value] : values) {
    core.extra_attrs.Set(nb::cast<std::string>(name),
                         AttrFromProto(View(nb::cast<nb::bytes>(value))));
  }
  core.slow_attrs = functions;
}

void SetGradientOverrides(nb::handle graph, const nb::dict& map) {
  GraphCore& core = Core(graph);
  core.gradient_overrides.clear();
  for (auto [op, gradient] : map)
    core.gradient_overrides[nb::cast<std::string>(op)] =
        nb::cast<std::string>(gradient);
}

nb::object Constant(nb::handle graph, const std::string& name, nb::handle value,
                    nb::handle attrs) {
  const Tensor* tensor = ValueOf(value);
  if (!tensor) throw nb::type_error("constant: expected a Value");
  GraphObject* g = AsGraph(graph);
  NewOp op{};
  op.graph = g;
  op.type = "Const";
  op.name = name.ends_with('/') ? name.substr(0, name.size() - 1)
                                : NameInScope(*g->core, name);
  op.attrs.Set("value", *tensor);
  op.attrs.Set("dtype", tensor->dtype());
  if (!attrs.is_none()) {
    for (auto [key, bytes] : nb::cast<nb::dict>(attrs)) {
      op.attrs.Set(nb::cast<std::string>(key),
                   AttrFromProto(View(nb::cast<nb::bytes>(bytes))));
    }
  }
  return PyTensor(g, AddOp(std::move(op)), 0);
}

}  // namespace

void BindGraphCalls(nb::module_& m) {
  nb::class_<std::shared_ptr<Controller>>(m, "Controller",
                                          "Operations on which new ones wait.")
      .def("__init__", [](std::shared_ptr<Controller>* self,
                          const nb::list& ops) {
        new (self) std::shared_ptr<Controller>(std::make_shared<Controller>());
        (*self)->inputs = Ids(ops);
      });
  // Names.
  m.def(
      "scope", [](nb::handle g) { return Core(g).scope(); },
      "The prefix of names in this thread, \"\" or \"a/b/\".");
  m.def(
      "set_scope",
      [](nb::handle g, const std::string& scope) {
        if (scope.empty()) {
          Core(g).scopes.erase(PyThread_get_thread_ident());
        } else {
          Core(g).scope() = scope;
        }
      },
      "Sets the prefix of names in this thread.");
  m.def(
      "unique_name",
      [](nb::handle g, const std::string& name, bool mark) {
        GraphCore& core = Core(g);
        return mark ? core.graph->UniqueName(name) : core.graph->FreeName(name);
      },
      "Returns a name that no node and no scope has; does not look at the "
      "scope in force.");
  m.def("is_valid_name", [](const std::string& name, bool root) {
    return root ? IsValidNodeName(name) : IsValidScopeName(name);
  });
  // What surrounds the making of ops.
  m.def(
      "set_device",
      [](nb::handle g, const std::string& device, bool functions) {
        Core(g).stacks().device = device;
        Core(g).stacks().device_functions = functions;
      },
      "Sets the merged name of the devices in force, and whether Python has "
      "functions to apply.");
  m.def("set_colocation", [](nb::handle g, const nb::list& ops) {
    Core(g).stacks().colocation = Ids(ops);
  });
  m.def("set_controllers", [](nb::handle g, const nb::list& controllers) {
    auto& list = Core(g).stacks().controllers;
    list.clear();
    for (nb::handle c : controllers)
      list.push_back(nb::cast<std::shared_ptr<Controller>&>(c));
  });
  m.def("set_thread_local", [](nb::handle g) {
    GraphCore& core = Core(g);
    if (core.thread_local_stacks) return;
    core.thread_local_stacks = true;
    core.stacks() = core.shared;
  });
  m.def("set_container", [](nb::handle g, const std::string& container) {
    Core(g).container = container;
  });
  m.def("set_attr_scopes", &SetAttrScopes);
  m.def("set_gradient_overrides", &SetGradientOverrides);
  m.def("set_finalized",
        [](nb::handle g, bool finalized) { Core(g).finalized = finalized; });
  m.def(
      "shapes_changed", [](nb::handle g) { ++Core(g).shape_changes; },
      "Makes tensors forget the shapes that they have kept.");
  // Nodes.
  m.def("operations", &Operations, nb::arg("graph"), nb::arg("start") = 0);
  m.def("num_ids", [](nb::handle g) { return Core(g).graph->End().nodes; });
  m.def("num_nodes", [](nb::handle g) { return Core(g).graph->num_nodes(); });
  m.def(
      "find",
      [](nb::handle g, const std::string& name) -> nb::object {
        const Operation op = Core(g).graph->Find(name);
        return op ? PyOperation(AsGraph(g), op.node()) : nb::none();
      },
      "Returns the operation of that name, or None.");
  m.def("operation", [](nb::handle g, int id) -> nb::object {
    const bool there = id >= 0 && id < Core(g).graph->End().nodes;
    const Node* node = there ? Core(g).node(id) : nullptr;
    return node ? PyOperation(AsGraph(g), node) : nb::none();
  });
  m.def("output", [](nb::handle op, int port) -> nb::object {
    OperationObject* o = AsOperation(op);
    return port >= 0 && port < o->node->num_outputs()
               ? PyTensor(o->graph, o->node, port)
               : nb::none();
  });
  m.def("num_outputs",
        [](nb::handle op) { return AsOperation(op)->node->num_outputs(); });
  m.def(
      "frames",
      [](nb::handle op) {
        OperationObject* o = AsOperation(op);
        return o->graph->core->traces.Frames(
            o->graph->core->slot(o->node->id).trace);
      },
      "Where the program made the operation: [(code, line)], the outermost "
      "frame first.");
  m.def("capture", [](nb::handle op) {
    OperationObject* o = AsOperation(op);
    o->graph->core->slot(o->node->id).trace = o->graph->core->traces.Capture();
  });
  m.def("node_bytes", &NodeBytes,
        "The bytes of a GraphDef of this node alone.");
  m.def("get_attr", &GetAttr);
  m.def("has_attr", [](nb::handle op, const std::string& name) {
    return AsOperation(op)->node->attrs.Find(name) != nullptr;
  });
  m.def("attr_names", [](nb::handle op) {
    nb::list names;
    for (const auto& [name, value] : AsOperation(op)->node->attrs)
      names.append(name);
    return names;
  });
  m.def("set_attr", &SetAttr);
  m.def("clear_attr", [](nb::handle op, const std::string& name) {
    AsOperation(op)->graph->core->graph->ClearAttr(OperationOf(AsOperation(op)),
                                                   name);
  });
  m.def("set_op_device", [](nb::handle op, const std::string& device) {
    AsOperation(op)->graph->core->graph->SetDevice(OperationOf(AsOperation(op)),
                                                   device);
  });
  m.def("set_input", &SetInput);
  m.def("add_control_input", [](nb::handle op, nb::handle input) {
    AsOperation(op)->graph->core->graph->AddControlInput(
        OperationOf(AsOperation(op)), OperationOf(AsOperation(input)));
  });
  m.def("remove_control_input", [](nb::handle op, nb::handle input) {
    AsOperation(op)->graph->core->graph->RemoveControlInput(
        OperationOf(AsOperation(op)), OperationOf(AsOperation(input)));
  });
  m.def("input_types", [](nb::handle op) {
    nb::list types;
    for (DataType t : AsOperation(op)->node->input_types)
      types.append(nb::handle(PyDType(t)));
    return types;
  });
  m.def("is_stateful",
        [](nb::handle op) { return AsOperation(op)->node->op->Is(kStateful); });
  m.def("op_schema_bytes",
        [](nb::handle op) { return SchemaBytes(*AsOperation(op)->node->op); });
  m.def("shape",
        [](nb::handle t) { return PyShape(OutputOf(AsTensor(t)).shape()); });
  m.def("set_shape", &SetShape);
  m.def("constant_value", &ConstantOf,
        "The value of a tensor that is known while the graph is built, as an "
        "array, or None.");
  m.def("handle_shapes", &HandleShapes,
        "[(shape, dtype)] of the values behind a handle.");
  m.def("constant", &Constant, nb::arg("graph"), nb::arg("name"),
        nb::arg("value"), nb::arg("attrs") = nb::none());
  // Graphs as bytes.
  m.def("graph_def", &ExportGraph, nb::arg("graph"), nb::arg("start") = 0,
        nb::arg("functions") = true,
        "The bytes of a GraphDef of the nodes from a number on.");
  m.def("import_graph", &ImportGraph,
        "Adds all nodes of a GraphDef under a prefix (\"\" or \"a/\"); inputs "
        "named in the map [(name, tensor)] are replaced.");
  m.def("add_functions", &AddFunctions,
        "Adds the functions and gradients of a FunctionDefLibrary's bytes.");
}

}  // namespace millrace::python
