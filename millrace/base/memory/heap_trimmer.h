// HeapTrimmer: returns the memory that malloc keeps to the operating system,
// after a delay.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "millrace/base/threads/lanes.h"

namespace millrace {

// While a session runs a graph of 100,000 nodes, the graph takes some hundred
// megabytes of small blocks. Once freed, they stay with malloc (between blocks
// that are still in use), so an idle server would look as if it leaked memory.
// Thread-safe.
class HeapTrimmer {
 public:
  // `lanes` must outlive the work that Schedule has started.
  explicit HeapTrimmer(Lanes& lanes) : lanes_(lanes) {}

  // Trims after kDelayMillis on a thread of the blocking pool, once for all
  // calls in that time. Does nothing in a simulation.
  void Schedule();

  static constexpr int64_t kDelayMillis = 2000;

 private:
  Lanes& lanes_;
  // Shared with the timer's callback, which may outlive this object.
  std::shared_ptr<std::atomic<bool>> asked_ =
      std::make_shared<std::atomic<bool>>(false);
};

}  // namespace millrace
