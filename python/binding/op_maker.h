// Makes ops from Python: one call an op.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>
#include <vector>

#include "python/binding/graph_object.h"

namespace millrace::python {

// What is known of an op besides its schema. Lives as long as the process.
struct OpInfo {
  const OpDef* def = nullptr;
  // The attributes that are not inferred from inputs, in the order of the
  // wrapper's parameters: those without a default first.
  std::vector<const AttrDef*> parameters;
  std::string function;  // the name of the wrapper
  bool has_ref_input = false;
  PyObject* result = nullptr;  // the class of several outputs
};

// Returns null if there is no such op.
OpInfo* FindOp(absl::string_view type);

// Describes a node for AddOp, which adds what is in force around it: control
// dependencies, devices, colocation, attributes.
struct NewOp {
  GraphObject* graph;
  absl::string_view type;
  std::string name;  // full and unique
  std::vector<Output> inputs;
  AttrMap attrs;
  std::vector<Operation> control_inputs;
  std::vector<NodeId>
      beside;  // ops whose variables it changes, so that it runs where they are
  bool compute_device = true;
};
// Adds the node, and notes where the program made it. Raises ValueError for
// what is wrong with it.
const Node* AddOp(NewOp op);

// Returns a unique name below the scope in force.
std::string NameInScope(GraphCore& core, absl::string_view name);

// Returns the outputs as a wrapper returns them.
nb::object ResultOf(GraphObject* graph, OpInfo& info, const Node* node);

void BindOpMaker(nb::module_& m);

}  // namespace millrace::python
