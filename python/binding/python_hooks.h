// What the extension asks Python for: DType objects, classes, exceptions.
// Python sets all but exceptions once, when framework/ is imported.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "millrace/base/status.h"
#include "millrace/tensor/dtype.h"

namespace millrace::python {

namespace nb = nanobind;

// Objects that Python hands over by `set_hooks(name=object, ...)`. All are
// owned and never freed.
struct Hooks {
  PyObject* graph_class = nullptr;
  PyObject* operation_class = nullptr;
  PyObject* tensor_class = nullptr;
  PyObject* default_graph = nullptr;  // () -> Graph
  PyObject* apply = nullptr;  // (op type, name, inputs, attrs): makes an op
                              // whatever its inputs are
  PyObject* after = nullptr;  // (op): applies device functions and attr scopes
                              // that are functions
  PyObject* result =
      nullptr;  // (op type) -> the named tuple class of its outputs
  PyObject* as_dtype = nullptr;  // (value) -> DType
  PyObject* shape = nullptr;     // (tuple or None) -> TensorShape
  PyObject* dtypes[256] = {};    // by number
};
Hooks& hooks();

// Returns the DType of a type, a borrowed reference.
PyObject* PyDType(DataType type);
// Returns the type of a DType or of whatever as_dtype takes. Raises TypeError.
DataType TypeOf(nb::handle dtype);

// Raises the exception of an error. `building`: INVALID_ARGUMENT is a
// ValueError, as of graphs that are built.
[[noreturn]] void Raise(const Status& status, bool building = false);
inline void Check(const Status& status, bool building = false) {
  if (!status.ok()) Raise(status, building);
}
template <class T>
T Take(StatusOr<T> value, bool building = false) {
  if (!value.ok()) Raise(value.status(), building);
  return *std::move(value);
}

void BindHooks(nb::module_& m);

}  // namespace millrace::python
