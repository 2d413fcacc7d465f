// Conditionals and loops: the control-flow contexts of a graph, for Python.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "millrace/client/control_flow_context.h"
#include "python/binding/graph_object.h"

namespace millrace::python {

// Returns where a context would add nodes now: below the scope, on the devices,
// beside the ops and after the ops that are in force in the calling thread. Of
// the control dependencies, those that an op with `inputs` would get.
ContextPlace PlaceOf(GraphCore& core, const std::vector<Output>& inputs);

void BindFlow(nanobind::module_& m);

}  // namespace millrace::python
