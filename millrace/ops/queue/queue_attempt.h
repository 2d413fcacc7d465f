// An operation of a queue while it is being tried, for the files of Queue.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "millrace/ops/queue/queue.h"
#include "millrace/ops/queue/queue_batch.h"

namespace millrace::ops {

struct Queue::Attempt {
  uint64_t id = 0;
  What what = What::kEnqueue;
  QueueCaller caller;
  QueueTuple parts;       // what an enqueue brings
  int64_t wanted = 1;     // elements in all
  int64_t remaining = 1;  // still to go in or out
  bool up_to = false;
  std::vector<QueueRun> taken;
  TupleDone done;
  Status status;
  CancelScope::Token token = 0;
  int64_t since_nanos = 0;
  std::optional<WaitScope> wait;

  // Its step's time is over, though the timer that ends it may be late.
  bool GaveUp() const {
    return wait.has_value() && caller.cancel != nullptr &&
           caller.deadline.expired();
  }
};

// Outlives the queue as long as a timer may call.
struct Queue::Watcher {
  Mutex mu;
  Queue* queue = nullptr;
};

}  // namespace millrace::ops
