#include "python/binding/python_hooks.h"

#include <string>

#include "absl/container/flat_hash_map.h"

namespace millrace::python {
namespace {

absl::flat_hash_map<PyObject*, DataType>& TypeNumbers() {
  static auto& numbers = *new absl::flat_hash_map<PyObject*, DataType>;
  return numbers;
}

void SetHooks(const nb::kwargs& given) {
  Hooks& h = hooks();
  const std::pair<const char*, PyObject**> places[] = {
      {"graph_class", &h.graph_class},
      {"operation_class", &h.operation_class},
      {"tensor_class", &h.tensor_class},
      {"default_graph", &h.default_graph},
      {"apply", &h.apply},
      {"after", &h.after},
      {"result", &h.result},
      {"as_dtype", &h.as_dtype},
      {"shape", &h.shape}};
  for (auto [key, value] : given) {
    const std::string name = nb::cast<std::string>(key);
    bool known = false;
    for (const auto& [place, at] : places) {
      if (name != place) continue;
      *at = nb::borrow(value).release().ptr();
      known = true;
    }
    if (!known) throw nb::key_error(name.c_str());
  }
}

void SetDTypes(const nb::list& dtypes) {
  for (nb::handle dtype : dtypes) {
    const int number = nb::cast<int>(dtype.attr("_type_enum"));
    hooks().dtypes[number] = nb::borrow(dtype).release().ptr();
    TypeNumbers()[dtype.ptr()] = static_cast<DataType>(number);
  }
}

}  // namespace

Hooks& hooks() {
  static constinit Hooks all;
  return all;
}

PyObject* PyDType(DataType type) {
  PyObject* const dtype = hooks().dtypes[static_cast<int>(type) & 255];
  return dtype ? dtype : Py_None;
}

DataType TypeOf(nb::handle dtype) {
  const auto found = TypeNumbers().find(dtype.ptr());
  if (found != TypeNumbers().end()) return found->second;
  nb::object object =
      nb::steal(PyObject_CallOneArg(hooks().as_dtype, dtype.ptr()));
  if (!object.is_valid()) throw nb::python_error();
  const auto known = TypeNumbers().find(object.ptr());
  return known != TypeNumbers().end()
             ? known->second
             : static_cast<DataType>(nb::cast<int>(object.attr("_type_enum")));
}

void Raise(const Status& status, bool building) {
  const std::string message(status.message());
  if (building && status.code() == StatusCode::kInvalidArgument) {
    PyErr_SetObject(PyExc_ValueError,
                    nb::str(message.c_str(), message.size()).ptr());
    throw nb::python_error();
  }
  // Messages may hold any bytes, such as names of files.
  nb::object text = nb::steal(PyUnicode_DecodeUTF8(
      message.data(), static_cast<Py_ssize_t>(message.size()), "replace"));
  // Anything may fail first, such as the start of a server in a program that
  // has made no op.
  nb::object make =
      nb::module_::import_("millrace.framework.errors").attr("make");
  nb::object error = nb::steal(PyObject_CallFunction(
      make.ptr(), "iO", static_cast<int>(status.code()), text.ptr()));
  if (!error.is_valid()) throw nb::python_error();
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())),
                  error.ptr());
  throw nb::python_error();
}

void BindHooks(nb::module_& m) {
  m.def("set_hooks", &SetHooks, "Hands over objects of Python by their names.");
  m.def("set_dtypes", &SetDTypes, "Hands over all DType objects.");
}

}  // namespace millrace::python
