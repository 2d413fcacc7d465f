// PrefetchTask: an iterator that works ahead of who takes its elements.
#pragma once

#include <deque>
#include <memory>

#include "millrace/base/memory/memory_charge.h"
#include "millrace/base/threads/thread.h"
#include "millrace/ops/data/dataset.h"
#include "millrace/ops/data/iterator_runtime.h"
#include "millrace/ops/data/poll_task.h"

namespace millrace::ops {

// Thread-safe; one taker. Goes on between two calls, also while no step runs,
// until it is closed.
class PrefetchTask final : public PollTask {
 public:
  struct Options {
    int64_t size = 1;    // elements that may lie ready
    bool grows = false;  // doubles when the taker finds none, up to max_size
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
  // As DatasetIterator::Next.
  StatusOr<Pull> Take(PollContext& ctx, Element* out);
  // The taker goes.
  void Close();

 private:
  struct Item {
    Status status;
    Element element;
  };
  void Poll() override;

  const std::shared_ptr<IteratorRuntime> runtime_;
  std::unique_ptr<DatasetIterator> iterator_;  // of Poll

  Mutex mu_;  // guards all below
  Options options_;
  std::deque<Item> ready_;
  MemoryCharge charge_;
  bool begun_ = false, ended_ = false, closed_ = false;
  bool no_room_ = false;           // stopped for want of memory
  std::weak_ptr<PollTask> taker_;  // waits
};

// Owns the task on the taker's side.
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
