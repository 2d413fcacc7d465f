// Queue::Attempt: an operation in progress on a queue, for the files of Queue.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "millrace/base/clock.h"
#include "millrace/ops/queue/queue.h"
#include "millrace/ops/queue/queue_batch.h"

namespace millrace::ops {

struct Queue::Attempt final : Operation {
  Attempt(Queue& q, What w, const QueueCaller& by)
      : Operation(by),
        queue(q),
        what(w),
        allocator(by.allocator),
        timer(by.timer) {
    line = IsEnqueue(w) ? kEnqueues : kDequeues;
  }

  Progress Try() override { return queue.Try(*this); }
  // A closed queue refuses every enqueue.
  bool refused() const override { return queue.closed_ && IsEnqueue(what); }
  void Drop(Status why) override { queue.Drop(*this, std::move(why)); }
  std::string Describe() const override;
  const char* unit() const override;
  int64_t Missing(bool is_first) override {
    // Earlier operations get the first elements, so the others lack all of
    // theirs.
    return is_first ? queue.Missing(*this) : remaining;
  }
  void OnWait() override {
    since_nanos = NowNanos();
    if (!IsEnqueue(what)) queue.Watch(timer);
  }
  void Complete() override { queue.Complete(*this); }

  Queue& queue;
  const What what;
  Allocator* const allocator;
  Timer* const timer;
  QueueTuple parts;       // the tuple of an enqueue
  int64_t wanted = 1;     // number of elements in total
  int64_t remaining = 1;  // number still to be enqueued or dequeued
  bool up_to = false;
  std::vector<QueueRun> taken;
  TupleDone done;
  int64_t since_nanos = 0;
};

// Outlives the queue as long as a timer may call it.
struct Queue::Watcher {
  Mutex mu;
  Queue* queue = nullptr;
};

}  // namespace millrace::ops
