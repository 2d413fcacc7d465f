// PrefetchTask: an iterator that works ahead of the consumer of its elements.
#pragma once

#include <deque>
#include <memory>

#include "millrace/base/memory/memory_charge.h"
#include "millrace/base/threads/thread.h"
#include "millrace/ops/data/dataset.h"
#include "millrace/ops/data/iterator_runtime.h"
#include "millrace/ops/data/poll_task.h"

namespace millrace::ops {

// Thread-safe, with one consumer. Works between two calls, also while no step
// runs, until it is closed.
class PrefetchTask final : public PollTask {
 public:
  struct Options {
    int64_t size = 1;    // elements that may be ready
    bool grows = false;  // doubles when Take finds none, up to max_size
    int64_t max_size = 1;
  };
  PrefetchTask(IteratorRuntime& runtime,
               std::unique_ptr<DatasetIterator> iterator, Options options)
      : PollTask(runtime.lanes().inter_op),
        runtime_(runtime.shared_from_this()),
        iterator_(std::move(iterator)),
        options_(options) {}

  // Begins the work, as the first call of Take does.
  void Begin();
  // Returns what DatasetIterator::Next does.
  StatusOr<Pull> Take(PollContext& ctx, Element* out);
  // Stops the work, when the consumer ends.
  void Close();

 private:
  struct Item {
    Status status;
    Element element;
  };
  void Poll() override;

  const std::shared_ptr<IteratorRuntime> runtime_;
  std::unique_ptr<DatasetIterator> iterator_;  // used by Poll alone

  Mutex mu_;  // guards all below
  Options options_;
  std::deque<Item> ready_;
  MemoryCharge charge_;
  bool begun_ = false, ended_ = false, closed_ = false;
  bool no_room_ = false;           // stopped because memory ran out
  std::weak_ptr<PollTask> taker_;  // set while it waits
};

// Owns the task on the consumer's side.
class PrefetchingIterator final : public DatasetIterator {
 public:
  explicit PrefetchingIterator(std::shared_ptr<PrefetchTask> task)
      : task_(std::move(task)) {}
  ~PrefetchingIterator() override { task_->Close(); }
  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    return task_->Take(ctx, out);
  }

 private:
  const std::shared_ptr<PrefetchTask> task_;
};

}  // namespace millrace::ops
