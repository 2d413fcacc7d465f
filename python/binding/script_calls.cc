// Functions of Python that ops call (PyFunc): through one function that Python
// sets.
#include <nanobind/stl/string.h>

#include "absl/strings/str_cat.h"
#include "millrace/kernel/script_calls.h"
#include "python/binding/gil.h"
#include "python/binding/parts.h"
#include "python/binding/python_hooks.h"
#include "python/binding/values.h"

namespace millrace::python {
namespace {

PyObject* function = nullptr;  // (token, eager, device, arrays) -> arrays

// The code of an exception, as ops report it.
StatusCode CodeOf(const nb::python_error& error) {
  if (PyObject_HasAttrString(error.value().ptr(), "error_code")) {
    nb::object code = error.value().attr("error_code");
    if (PyLong_Check(code.ptr()))
      return static_cast<StatusCode>(PyLong_AsLong(code.ptr()));
  }
  if (error.matches(PyExc_ValueError) || error.matches(PyExc_TypeError))
    return StatusCode::kInvalidArgument;
  if (error.matches(PyExc_StopIteration)) return StatusCode::kOutOfRange;
  if (error.matches(PyExc_MemoryError)) return StatusCode::kResourceExhausted;
  if (error.matches(PyExc_NotImplementedError))
    return StatusCode::kUnimplemented;
  return StatusCode::kUnknown;
}

Status StatusOf(const nb::python_error& error) {
  const std::string type =
      nb::cast<std::string>(nb::object(error.type().attr("__name__")));
  const std::string text = nb::cast<std::string>(nb::str(error.value()));
  return Status(CodeOf(error),
                absl::StrCat(type, ": ", text, "\n", error.what()));
}

// What a call owns of Python's.
struct Held {
  nb::list arrays;
  nb::object results;
};

Status CallLocked(const ScriptCall& call, Held& held,
                  std::vector<Tensor>* outputs) {
  try {
    for (const Tensor& input : call.inputs) held.arrays.append(ArrayOf(input));
    held.results =
        nb::handle(function)(call.token, call.eager, call.device, held.arrays);
    for (nb::handle result : held.results) {
      const Tensor* value = ValueOf(result);
      outputs->push_back(value ? *value : TensorFromArray(result));
    }
    return OkStatus();
  } catch (nb::python_error& error) {
    return StatusOf(error);
  } catch (const std::exception& error) {
    return Internal(error.what());
  }
}

Status CallPython(const ScriptCall& call, std::vector<Tensor>* outputs) {
  if (!Py_IsInitialized() || IsEnding()) return Cancelled("Python is ending");
  WithGil locked;
  // On the heap: if Python ends this thread within the function, it is left as
  // it is, since nobody may drop references then.
  auto* const held = new Held;
  Status status = StayIfEnded([&] { return CallLocked(call, *held, outputs); });
  delete held;
  return status;
}

}  // namespace

void BindScriptCalls(nb::module_& m) {
  m.def(
      "set_script_function",
      [](nb::handle f) {
        Py_XSETREF(function, f.is_none() ? nullptr : Py_NewRef(f.ptr()));
        SetScriptFunction(function ? CallPython : nullptr);
      },
      nb::arg("function").none(),
      "Sets what PyFunc and EagerPyFunc call: function(token, is eager, "
      "device, arrays) returns a list of arrays and Values. It "
      "runs on threads of sessions. An exception ends the step.");
}

}  // namespace millrace::python
