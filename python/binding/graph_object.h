// The Python objects of graphs: Graph, Operation and Tensor. Python's classes
// derive from these three types.
//
// An Operation or Tensor is made when it is first asked for, and is the same
// object from then on: the graph keeps it. All of this is guarded by the GIL.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "millrace/client/client_graph.h"
#include "python/binding/traces.h"

namespace millrace::python {

namespace nb = nanobind;

// One `with control_dependencies(...)`: what new ops wait for, except ops that
// have an input from an op which already does.
struct Controller {
  std::vector<NodeId> inputs;
  absl::flat_hash_set<NodeId> seen;
};

// What surrounds the making of an op, of all threads or, after
// switch_to_thread_local, of one.
struct Stacks {
  std::string device;  // merged from the names in force
  bool device_functions =
      false;  // some of them are functions: Python applies all
  std::vector<NodeId> colocation;
  std::vector<std::shared_ptr<Controller>> controllers;
  std::shared_ptr<void> context;  // of control flow; see flow
};

struct NodeSlot {
  PyObject* op = nullptr;
  PyObject* outputs =
      nullptr;         // the Tensor of an only output, otherwise a tuple
  int32_t trace = -1;  // where it was made
};

struct GraphCore {
  explicit GraphCore(const OpRegistry& ops)
      : graph(MakeRef<ClientGraph>(ops)) {}

  // Returns the stacks, and the prefix of names ("" or "a/b/"), of the calling
  // thread.
  Stacks& stacks();
  std::string& scope();
  NodeSlot& slot(NodeId id);
  const Node* node(NodeId id) const;

  Ref<ClientGraph> graph;
  bool finalized = false;
  bool thread_local_stacks = false;
  Stacks shared;
  absl::flat_hash_map<uint64_t, std::string> scopes;  // by thread
  absl::flat_hash_map<uint64_t, Stacks> own;
  std::string container;
  absl::flat_hash_map<std::string, std::string> gradient_overrides;
  AttrMap extra_attrs;      // of attr scopes
  bool slow_attrs = false;  // some attr scope is a function, which Python calls
  int64_t shape_changes = 0;  // counts changes of known shapes, for caches
  std::vector<NodeSlot> slots;
  Traces traces;
};

struct GraphObject {
  PyObject_HEAD GraphCore* core;
};
struct OperationObject {
  PyObject_HEAD GraphObject* graph;
  const Node* node;
};
struct TensorObject {
  PyObject_HEAD GraphObject* graph;
  const Node* node;
  int port;
  PyObject* shape;  // cached, of the time of shape_changes
  int64_t shape_time;
};

// Return the object behind a handle; raise TypeError if it is none.
GraphObject* AsGraph(nb::handle h);
OperationObject* AsOperation(nb::handle h);
TensorObject* AsTensor(nb::handle h);
bool IsTensor(PyObject* o);
bool IsOperation(PyObject* o);
bool IsGraph(PyObject* o);

inline Output OutputOf(const TensorObject* t) {
  return Output(Operation(t->graph->core->graph.get(), t->node), t->port);
}
inline Operation OperationOf(const OperationObject* o) {
  return Operation(o->graph->core->graph.get(), o->node);
}

// Return the Python object of a node or output, a new reference.
nb::object PyOperation(GraphObject* graph, const Node* node);
nb::object PyTensor(GraphObject* graph, const Node* node, int port);
inline nb::object PyTensor(GraphObject* graph, const Output& output) {
  return PyTensor(graph, output.op().node(), output.port());
}

// A shape as a tuple of sizes, None for unknown ones; None for an unknown rank.
// The other way: also a TensorShape, and -1.
nb::object PyShape(const PartialShape& shape);
PartialShape ShapeOf(nb::handle shape);

// The graph that `with graph.as_default()` sets for this thread, a borrowed
// reference; null if there is none.
GraphObject* CurrentGraph();

void BindGraphObjects(nb::module_& m);

}  // namespace millrace::python
