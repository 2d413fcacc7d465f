// Gradients, with functions of the program.
#pragma once

#include <nanobind/nanobind.h>

namespace millrace::python {

void BindGradients(nanobind::module_& m);

}  // namespace millrace::python
