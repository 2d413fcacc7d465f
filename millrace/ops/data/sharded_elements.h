// ShardedElements: the elements of one iterator, dealt to several consumers in
// turn. DealerTask: the work that deals them.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <vector>

#include "millrace/ops/data/elements_charge.h"
#include "millrace/ops/data/iterator_runtime.h"
#include "millrace/ops/data/poll_task.h"
#include "millrace/ops/queue/waiters.h"

namespace millrace::ops {

// Thread-safe. Element k, or the error in its place, belongs to shard k modulo
// the number of shards. Operations wait without a thread, and one that ends
// early loses no element.
class ShardedElements final : public WaitingResource {
 public:
  // At most `size` elements wait for each of the shards.
  ShardedElements(int64_t shards, int64_t size)
      : size_(size), ready_(static_cast<size_t>(shards)) {}

  absl::string_view type_name() const override { return "ShardedElements"; }
  std::string DebugString() const override { return "sharded elements"; }

  int64_t shards() const { return static_cast<int64_t>(ready_.size()); }
  // Waits for the next element of a shard, and sets it as the kernel's outputs;
  // OUT_OF_RANGE at the end of the sequence. Requires: 0 <= shard < shards().
  // Wakes `dealer`, which must deal to this.
  void GetNext(KernelContext& ctx, int64_t shard,
               std::shared_ptr<PollTask> dealer, Done done);

  // For the dealer: returns whether a shard may get an element.
  bool HasRoom(int64_t shard);
  void Deal(int64_t shard, StatusOr<Element> element);
  // Declares that no more elements follow.
  void End();

 private:
  const int64_t size_;
  // Guarded by mu_, as is all below.
  std::vector<std::deque<StatusOr<Element>>> ready_;
  ElementsCharge charge_{"sharded elements"};
  bool ended_ = false;
};

// Begins with the first Wake(). Works ahead, also while no step runs, as far as
// there is room, until it is closed.
class DealerTask final : public PollTask {
 public:
  DealerTask(std::shared_ptr<IteratorRuntime> runtime,
             std::unique_ptr<DatasetIterator> iterator, Ref<ShardedElements> to)
      : PollTask(runtime->lanes().inter_op),
        runtime_(std::move(runtime)),
        iterator_(std::move(iterator)),
        to_(std::move(to)) {}
  ~DealerTask() override;

  // Ends the work, and the operations that wait for it.
  void Close();

 private:
  void Poll() override;

  const std::shared_ptr<IteratorRuntime> runtime_;
  std::unique_ptr<DatasetIterator> iterator_;  // used by Poll alone
  const Ref<ShardedElements> to_;
  int64_t shard_ = 0;  // used by Poll alone; whose turn it is
  std::atomic<bool> closed_{false};
};

}  // namespace millrace::ops
