// Functions of the C library as operations of elementwise.h.
#pragma once

#include <cmath>
#include <complex>

namespace millrace::ops {

// MR_LIBM_OP(SinOp, sin): SinOp::Do(x) is std::sin(x).
#define MR_LIBM_OP(Name, function) \
  struct Name {                    \
    template <class T>             \
    static T Do(T x) {             \
      return std::function(x);     \
    }                              \
  }

// What one takes for an element, about.
constexpr int kLibmPicos = 10000;

}  // namespace millrace::ops
