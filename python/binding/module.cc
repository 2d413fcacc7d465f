// The extension `millrace._binding`.
#include <nanobind/nanobind.h>

#include "python/binding/graph_object.h"
#include "python/binding/op_maker.h"
#include "python/binding/parts.h"
#include "python/binding/python_hooks.h"
#include "python/binding/values.h"

NB_MODULE(_binding, m) {
  using namespace millrace::python;
  // Graphs keep their operations until the process ends; that is no mistake of
  // the program.
  nb::set_leak_warnings(false);
  m.attr("__doc__") =
      "Millrace's runtime for Python: graphs, sessions, servers. Programs use "
      "the package around it.";
  BindHooks(m);
  BindGraphObjects(m);
  BindValues(m);
  BindOpMaker(m);
  BindGraphCalls(m);
  BindSchemas(m);
  BindSessions(m);
  BindServers(m);
  BindScriptCalls(m);
  BindFlow(m);
  BindGradients(m);
}
