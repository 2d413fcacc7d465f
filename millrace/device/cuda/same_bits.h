// Whether results must have the same bits in each run.
#pragma once

#include "absl/strings/match.h"
#include "millrace/base/environment.h"

namespace millrace::cuda {

// Returns whether libraries may only use algorithms that give the same bits in
// each run, though others are faster. As in TensorFlow, the variables
// TF_CUDNN_DETERMINISTIC and TF_DETERMINISTIC_OPS of the environment say so by
// 1 or true.
inline bool WantsSameBits() {
  for (const char* name : {"TF_CUDNN_DETERMINISTIC", "TF_DETERMINISTIC_OPS"}) {
    const std::string value = EnvironmentVariable(name).value_or("");
    if (value == "1" || absl::EqualsIgnoreCase(value, "true")) return true;
  }
  return false;
}

}  // namespace millrace::cuda
