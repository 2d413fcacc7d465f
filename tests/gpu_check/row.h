// One figure of the report, and what it is compared with.
#pragma once

#include <string>

namespace millrace::gpu_check {

struct Row {
  std::string name;
  double seconds = 0;  // one step, or one operation
  // Floating-point operations or bytes that these take; 0: only time counts.
  double amount = 0;
  bool is_bytes = false;
  double limit_seconds = 0;   // the goal, if it is a time
  double least_of_copy = 0;   // the goal, if it is a part of the copy bandwidth
  double least_of_torch = 0;  // the goal, if it is a part of PyTorch's speed
  std::string error;          // empty: it was measured
};

}  // namespace millrace::gpu_check
