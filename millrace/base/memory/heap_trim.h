// HeapTrim: gives what malloc keeps back to the operating system, later.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "millrace/base/threads/lanes.h"

namespace millrace {

// A graph of 100,000 nodes is some hundred megabytes of small blocks while a
// session runs it. Freed, they stay with malloc (between blocks that are still
// used), so that an idle server would look as if it had a leak. Thread-safe.
class HeapTrim {
 public:
  // `lanes` outlive what Soon has started.
  explicit HeapTrim(Lanes& lanes) : lanes_(lanes) {}

  // Trims after kDelayMillis, once for all that ask meanwhile, on a blocking
  // thread. Does nothing in a simulation.
  void Soon();

  static constexpr int64_t kDelayMillis = 2000;

 private:
  Lanes& lanes_;
  // Outlives this, as the timer's callback may.
  std::shared_ptr<std::atomic<bool>> asked_ =
      std::make_shared<std::atomic<bool>>(false);
};

}  // namespace millrace
