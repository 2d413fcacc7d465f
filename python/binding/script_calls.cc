// Functions of Python that ops call (PyFunc): through one function that Python
// sets.
#include <nanobind/stl/string.h>

#include "millrace/kernel/script_calls.h"
#include "python/binding/gil.h"
#include "python/binding/parts.h"
#include "python/binding/python_hooks.h"
#include "python/binding/values.h"

namespace millrace::python {
namespace {

PyObject* function = nullptr;  // (token, eager, device, arrays) -> arrays
PyObject* failure = nullptr;   // (exception) -> (code, text as bytes)

// The error of an exception. What goes wrong while Python describes it is no
// second one: the exception may be that there is no memory.
Status StatusOf(const nb::python_error& error) {
  try {
    const nb::tuple described =
        nb::cast<nb::tuple>(nb::handle(failure)(error.value()));
    const nb::bytes text = nb::cast<nb::bytes>(described[1]);
    return Status(static_cast<StatusCode>(nb::cast<int>(described[0])),
                  absl::string_view(text.c_str(), text.size()));
  } catch (const std::exception&) {
    return Status(StatusCode::kUnknown,
                  "a function of Python raised what cannot be described");
  }
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
  // Out here: if Python ends this thread within the function, it is left as it
  // is, since nobody may drop references then.
  Held held;
  return StayIfEnded([&] { return CallLocked(call, held, outputs); });
}

}  // namespace

void BindScriptCalls(nb::module_& m) {
  m.def(
      "set_script_function",
      [](nb::handle f, nb::handle describe) {
        Py_XSETREF(failure, Py_NewRef(describe.ptr()));
        Py_XSETREF(function, f.is_none() ? nullptr : Py_NewRef(f.ptr()));
        SetScriptFunction(function ? CallPython : nullptr);
      },
      nb::arg("function").none(), nb::arg("failure"),
      "Sets what PyFunc and EagerPyFunc call: function(token, is eager, "
      "device, arrays) returns a list of arrays and Values. It "
      "runs on threads of sessions. An exception ends the step, with the code "
      "and the text, as bytes, that failure(exception) returns.");
}

}  // namespace millrace::python
