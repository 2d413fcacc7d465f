// Where ops were made: the stack of Python's frames, kept as a tree whose
// branches share their roots.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace millrace::python {

namespace nb = nanobind;

class Traces {
 public:
  ~Traces();
  // Notes the calling thread's stack; returns its number, -1 if there is none.
  int32_t Capture();
  // Returns [(code, line)], the outermost frame first.
  nb::list Frames(int32_t number) const;

 private:
  struct Frame {
    int32_t caller;
    PyObject* code;  // owned
    int at;  // the offset of the instruction; before Python 3.11 the line
    friend bool operator==(const Frame&, const Frame&) = default;
    template <class H>
    friend H AbslHashValue(H h, const Frame& f) {
      return H::combine(std::move(h), f.caller, f.code, f.at);
    }
  };
  std::vector<Frame> frames_;
  absl::flat_hash_map<Frame, int32_t> numbers_;
};

}  // namespace millrace::python
