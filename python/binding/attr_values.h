// Values of attributes, from Python and to Python.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>

#include "millrace/graph/op_def.h"

namespace millrace::python {

namespace nb = nanobind;

// Converts a value by the kind of the schema's attribute, "int", "list(type)",
// ... Raises TypeError and ValueError with TensorFlow's words, where `argument`
// is the name of the parameter.
AttrValue AttrFrom(absl::string_view kind, nb::handle value,
                   absl::string_view argument);
// Checks the minimum and the allowed values. `op` is the type of the op;
// `parameter` is the input from which a type was inferred, "" if the attribute
// was given.
void CheckConstraints(const AttrDef& def, const AttrValue& value,
                      const std::string& op, const std::string& parameter);

// Returns bytes, int, float, bool, a DType, or a list of these. Values that
// have a message of their own (shapes, tensors, functions) are returned as the
// bytes of an AttrValue, in a tuple of one.
nb::object PyAttr(const AttrValue& value);

// Returns the attribute that the bytes of an AttrValue say. Raises ValueError.
AttrValue AttrFromProto(absl::string_view bytes);

}  // namespace millrace::python
