#include "python/binding/gil.h"

namespace millrace::python {

bool IsEnding() {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsFinalizing() != 0;
#else
  return _Py_IsFinalizing() != 0;
#endif
}

WithoutGil::WithoutGil() : state_(PyEval_SaveThread()) {}

WithoutGil::~WithoutGil() {
  StayIfEnded([this] { PyEval_RestoreThread(state_); });
}

WithGil::WithGil() : state_(StayIfEnded([] { return PyGILState_Ensure(); })) {}

WithGil::~WithGil() { PyGILState_Release(state_); }

}  // namespace millrace::python
