// Functions of Python that ops of a graph call: PyFunc and its kin.
#include <nanobind/stl/string.h>

#include <string>
#include <utility>
#include <vector>

#include "millrace/kernel/script_calls.h"
#include "python/binding/parts.h"
#include "python/binding/python_hooks.h"
#include "python/binding/values.h"

namespace millrace::python {
namespace {

// call(token, eager, device, [values]) -> [arrays], or (code, message) for an exception of the function. Owned, never freed.
PyObject* caller = nullptr;

Status CallWithGil(const ScriptCall& call, std::vector<Tensor>* outputs) {
  nb::list inputs;
  for (const Tensor& input : call.inputs) inputs.append(ArrayFromTensor(input));
  nb::object result = nb::steal(PyObject_CallFunction(caller, "siOO", call.token.c_str(), static_cast<int>(call.eager),
                                                      nb::str(call.device.c_str()).ptr(), inputs.ptr()));
  if (!result.is_valid()) throw nb::python_error();
  if (PyTuple_Check(result.ptr())) {
    nb::object text = result[1];
    return Status(static_cast<StatusCode>(nb::cast<int>(result[0])), nb::cast<std::string>(text));
  }
  for (nb::handle value : result) {
    const Tensor* const tensor = ValueOf(value);
    outputs->push_back(tensor ? *tensor : TensorFromArray(value));
  }
  return OkStatus();
}

Status Call(const ScriptCall& call, std::vector<Tensor>* outputs) {
  if (!Py_IsInitialized()) return Aborted("Python has ended");
  nb::gil_scoped_acquire gil;
  try {
    return CallWithGil(call, outputs);
  } catch (const nb::python_error& e) {
    return Status(StatusCode::kUnknown, e.what());
  } catch (const std::exception& e) {
    return InvalidArgument(e.what());
  }
}

}  // namespace

void BindScripts(nb::module_& m) {
  m.def(
      "set_script_function",
      [](nb::handle function) {
        caller = nb::borrow(function).release().ptr();
        SetScriptFunction(&Call);
      },
      "Sets what ops call that are functions of Python: call(token, eager, device, values) returns a list of arrays, or a code "
      "and a message.");
}

}  // namespace millrace::python
