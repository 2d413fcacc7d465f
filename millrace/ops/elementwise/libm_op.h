// Functions of the C library as operations for loops.h.
#pragma once

#include <cmath>
#include <complex>

namespace millrace::ops {

// MR_LIBM_OP(SinOp, sin) defines SinOp, whose Do(x) is std::sin(x).
#define MR_LIBM_OP(Name, function) \
  struct Name {                    \
    template <class T>             \
    static T Do(T x) {             \
      return std::function(x);     \
    }                              \
  }

// The approximate cost of one for an element, in picoseconds.
constexpr int kLibmPicos = 10000;

}  // namespace millrace::ops
