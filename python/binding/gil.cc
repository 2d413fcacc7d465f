#include "python/binding/gil.h"

#include <cxxabi.h>
#include <unistd.h>

namespace millrace::python {
namespace {

// Runs a function that takes the GIL. Does not return where Python ends the
// thread: its stack, and what lies on it, stays as it is.
template <class F>
auto TakeGil(F take) {
  try {
    return take();
  } catch (abi::__forced_unwind&) {
    for (;;) pause();
  }
}

}  // namespace

bool IsEnding() {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsFinalizing() != 0;
#else
  return _Py_IsFinalizing() != 0;
#endif
}

WithoutGil::WithoutGil() : state_(PyEval_SaveThread()) {}

WithoutGil::~WithoutGil() {
  TakeGil([this] { PyEval_RestoreThread(state_); });
}

WithGil::WithGil() : state_(TakeGil([] { return PyGILState_Ensure(); })) {}

WithGil::~WithGil() { PyGILState_Release(state_); }

}  // namespace millrace::python
