// IterationStats: the figures of an iteration that a program has asked for.
#pragma once

#include <cstdint>
#include <string>

namespace millrace::ops {

// Thread-safe.
class IterationStats {
 public:
  virtual ~IterationStats() = default;
  // Adds the value of the iterator's element `element` to the histogram of that
  // name.
  virtual void AddToHistogram(const std::string& name, double value,
                              int64_t element) = 0;
};

}  // namespace millrace::ops
