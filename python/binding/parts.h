// The parts of the extension, each of which adds its functions to the module.
#pragma once

#include <nanobind/nanobind.h>

namespace millrace::python {

void BindGraphCalls(nanobind::module_& m);
void BindSchemas(nanobind::module_& m);
void BindSessions(nanobind::module_& m);
void BindServers(nanobind::module_& m);
void BindScriptCalls(nanobind::module_& m);
void BindFlow(nanobind::module_& m);
void BindGradients(nanobind::module_& m);

}  // namespace millrace::python
