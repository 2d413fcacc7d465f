// IterationStats: the figures of an iteration that a program has asked for.
#pragma once

#include <string>

namespace millrace::ops {

// Thread-safe.
class IterationStats {
 public:
  virtual ~IterationStats() = default;
  // Adds a value to the histogram of that name.
  virtual void AddToHistogram(const std::string& name, double value) = 0;
};

}  // namespace millrace::ops
