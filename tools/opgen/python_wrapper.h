// The Python wrappers of ops: millrace.gen, modules by the first letter of the
// function.
#pragma once

#include <map>
#include <string>

#include "millrace/graph/op_registry.h"

namespace millrace::opgen {

// Returns the name of an op's function: mat_mul, conv2d_backprop_input,
// fifo_queue_v2.
std::string PythonName(absl::string_view op);

// Returns the parameters with their defaults: "a, b, transpose_a=False,
// transpose_b=False, name=None".
std::string PythonParameters(const OpDef& op);

// Returns the definition of an op's function.
std::string PythonWrapper(const OpDef& op);

// Returns the texts of all files of the package, by their names.
std::map<std::string, std::string> PythonPackage(const OpRegistry& ops);

}  // namespace millrace::opgen
