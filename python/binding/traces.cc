#include "python/binding/traces.h"

namespace millrace::python {
namespace {

constexpr int kMaxFrames = 100;  // the innermost ones

int Position(PyFrameObject* frame) {
#if PY_VERSION_HEX >= 0x030b0000
  return PyFrame_GetLasti(frame);
#else
  return PyFrame_GetLineNumber(frame);
#endif
}

int Line([[maybe_unused]] PyObject* code, int at) {
#if PY_VERSION_HEX >= 0x030b0000
  return PyCode_Addr2Line(reinterpret_cast<PyCodeObject*>(code), at);
#else
  return at;
#endif
}

}  // namespace

Traces::~Traces() {
  for (Frame& frame : frames_) Py_DECREF(frame.code);
}

int32_t Traces::Capture() {
  PyObject* codes[kMaxFrames];
  int places[kMaxFrames];
  int count = 0;
  PyFrameObject* frame = PyThreadState_GetFrame(PyThreadState_Get());
  while (frame != nullptr && count < kMaxFrames) {
    codes[count] = reinterpret_cast<PyObject*>(PyFrame_GetCode(frame));
    places[count++] = Position(frame);
    PyFrameObject* const back = PyFrame_GetBack(frame);
    Py_DECREF(frame);
    frame = back;
  }
  Py_XDECREF(frame);
  int32_t number = -1;
  for (int i = count - 1; i >= 0; --i) {
    const auto [it, is_new] =
        numbers_.try_emplace(Frame{number, codes[i], places[i]},
                             static_cast<int32_t>(frames_.size()));
    if (is_new) {
      frames_.push_back(it->first);  // keeps the reference
    } else {
      Py_DECREF(codes[i]);
    }
    number = it->second;
  }
  return number;
}

nb::list Traces::Frames(int32_t number) const {
  std::vector<const Frame*> path;
  for (; number >= 0; number = frames_[number].caller)
    path.push_back(&frames_[number]);
  nb::list list;
  for (auto it = path.rbegin(); it != path.rend(); ++it) {
    list.append(
        nb::make_tuple(nb::borrow((*it)->code), Line((*it)->code, (*it)->at)));
  }
  return list;
}

}  // namespace millrace::python
