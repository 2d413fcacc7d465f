// Python's global interpreter lock (GIL), given up and taken by threads that
// the interpreter may not outlive: a daemon thread in Session.run when the
// program ends, or a thread of a session that calls a function of Python.
//
// When the interpreter ends, Python up to 3.13 ends each thread that asks for
// the GIL by pthread_exit(), which unwinds its stack. Destructors would drop
// references without the GIL, and the first `noexcept` would end the process by
// an abort. Such a thread waits for the process's end instead, as it does in
// Python 3.14. So extension code uses these classes, and not nanobind's.
#pragma once

#include <cxxabi.h>
#include <nanobind/nanobind.h>
#include <unistd.h>

namespace millrace::python {

// Whether the interpreter is ending: of other threads than the main one none
// gets the GIL any more.
bool IsEnding();

// Runs a function that takes the GIL, or that runs code of Python, which gives
// it up and takes it again. Does not return where Python ends the thread: what
// lies on the stack around the call stays as it is. What the function itself
// owns is destroyed, so it owns nothing of Python's.
template <class F>
auto StayIfEnded(F run) {
  try {
    return run();
  } catch (abi::__forced_unwind&) {
    for (;;) pause();
  }
}

// The calling thread, which has the GIL, is without it as long as this lives.
class WithoutGil {
 public:
  WithoutGil();
  ~WithoutGil();
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  PyThreadState* const state_;
};

// The calling thread, of Python or of a session, has the GIL as long as this
// lives. Requires Py_IsInitialized().
class WithGil {
 public:
  WithGil();
  ~WithGil();
  WithGil(const WithGil&) = delete;
  WithGil& operator=(const WithGil&) = delete;

 private:
  PyGILState_STATE state_;
};

}  // namespace millrace::python
