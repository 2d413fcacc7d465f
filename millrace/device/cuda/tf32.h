// Whether factors of float may be rounded to tf32.
#pragma once

#include "millrace/base/environment.h"

namespace millrace::cuda {

// Returns whether libraries may round factors of float to tf32, with 10 bits of
// mantissa, for tensor cores. Not by default, as in TensorFlow 1; the variable
// MILLRACE_ALLOW_TF32 of the environment allows it with 1.
inline bool AllowsTf32() {
  return EnvironmentVariable("MILLRACE_ALLOW_TF32").value_or("") == "1";
}

}  // namespace millrace::cuda
