// PrefetchTask: an iterator that works ahead of the consumer of its elements.
#pragma once

#include <deque>
#include <memory>

#include "millrace/base/threads/thread.h"
#include "millrace/ops/data/elements_charge.h"
#include "millrace/ops/data/iterator_runtime.h"
#include "millrace/ops/data/poll_task.h"
#include "millrace/ops/dataset/rest.h"

namespace millrace::ops {

// Thread-safe, with one consumer. Works between two calls, also while no step
// runs, until it is closed; not between Settle and the next call of Take.
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
  // These do what those of DatasetIterator do; Restore precedes the work.
  bool Settle(PollContext& ctx);
  Status Save(StateWriter& out, const std::string& prefix);
  // `types` are those of the elements.
  Status Restore(StateReader& in, const std::string& prefix,
                 absl::Span<const DataType> types);

 private:
  struct Item {
    Status status;
    Element element;
  };
  void Poll() override;
  // Returns whether Poll shall ask for another element.
  bool WantsElement();

  const std::shared_ptr<IteratorRuntime> runtime_;
  // Used by Poll alone, and by Save while the work rests.
  std::unique_ptr<DatasetIterator> iterator_;
  bool pending_ = false;  // used by Poll alone; what Next returned

  Mutex mu_;  // guards all below
  Options options_;
  std::deque<Item> ready_;
  ElementsCharge charge_{"prefetched elements"};
  bool begun_ = false, ended_ = false, closed_ = false;
  bool no_room_ = false;  // stopped because memory ran out
  Rest rest_ = Rest::kNone;
  std::weak_ptr<PollTask> taker_;  // set while it waits
};

// Owns the task on the consumer's side.
class PrefetchingIterator final : public DatasetIterator {
 public:
  PrefetchingIterator(std::shared_ptr<PrefetchTask> task,
                      std::vector<DataType> types)
      : task_(std::move(task)), types_(std::move(types)) {}
  ~PrefetchingIterator() override { task_->Close(); }
  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    return task_->Take(ctx, out);
  }
  // Begins the work, as the first call of Next does.
  void Begin() { task_->Begin(); }
  bool Settle(PollContext& ctx) override { return task_->Settle(ctx); }
  Status Save(StateWriter& out, const std::string& prefix) override {
    return task_->Save(out, prefix);
  }
  Status Restore(StateReader& in, const std::string& prefix) override {
    return task_->Restore(in, prefix, types_);
  }

 private:
  const std::shared_ptr<PrefetchTask> task_;
  const std::vector<DataType> types_;
};

}  // namespace millrace::ops
