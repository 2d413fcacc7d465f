#include "millrace/ops/data/sharded_elements.h"

#include <utility>

namespace millrace::ops {

void ShardedElements::GetNext(KernelContext& ctx, int64_t shard,
                              std::shared_ptr<PollTask> dealer, Done done) {
  auto element = std::make_shared<Element>();
  Element* const taken = element.get();
  std::deque<StatusOr<Element>>& ready = ready_[static_cast<size_t>(shard)];
  PollTask* const task = dealer.get();
  // The operation keeps this and its dealer alive while it waits. Afterwards
  // there is room for another element.
  Done finish([self = Ref<ShardedElements>::Share(this), &ctx,
               element = std::move(element), dealer,
               done = std::move(done)](Status status) mutable {
    dealer->Wake();
    if (status.ok()) status = SetOutputs(ctx, std::move(*element));
    std::move(done)(std::move(status));
  });
  Start(
      ctx,
      absl::StrCat("next element of shard ", shard, ", node ", ctx.node().name,
                   ", step ", ctx.step().step_id),
      false,
      [this, &ready, taken](Status* status) {
        if (ready.empty()) {
          if (ended_) *status = OutOfRange("End of sequence");
          return ended_;
        }
        StatusOr<Element> next = std::move(ready.front());
        ready.pop_front();
        if (next.ok()) {
          charge_.Remove(*next);
          *taken = *std::move(next);
        } else {
          *status = next.status();
        }
        return true;
      },
      std::move(finish));
  task->Wake();
}

bool ShardedElements::HasRoom(int64_t shard) {
  MutexLock lock(mu_);
  const auto ready =
      static_cast<int64_t>(ready_[static_cast<size_t>(shard)].size());
  if (ready >= size_) return false;
  // Lack of memory ends the work ahead, not the sequence.
  return charge_.MakeRoom().ok() || ready == 0;
}

void ShardedElements::Deal(int64_t shard, StatusOr<Element> element) {
  {
    MutexLock lock(mu_);
    if (element.ok()) charge_.AddAlways(*element);
    ready_[static_cast<size_t>(shard)].push_back(std::move(element));
  }
  StateChanged();
}

void ShardedElements::End() {
  {
    MutexLock lock(mu_);
    ended_ = true;
  }
  StateChanged();
}

DealerTask::~DealerTask() {
  runtime_->scope()->Cancel(Cancelled("The iterator is gone"));
}

void DealerTask::Close() {
  closed_.store(true);
  runtime_->scope()->Cancel(
      Cancelled("The operation was cancelled: its iterator was removed"));
  to_->OnRemoved();
  Wake();
}

void DealerTask::Poll() {
  PollContext context(*runtime_, shared_from_this(), runtime_->scope());
  while (iterator_ != nullptr) {
    if (closed_.load()) {
      iterator_ = nullptr;
      return;
    }
    if (!to_->HasRoom(shard_)) return;
    Element element;
    const StatusOr<Pull> pull = context.Next(*iterator_, &element);
    if (pull.ok() && *pull == Pull::kPending) return;
    // A cancelled runtime returns nothing but errors.
    if ((pull.ok() && *pull == Pull::kEnd) || runtime_->scope()->cancelled()) {
      iterator_ = nullptr;
      return to_->End();
    }
    if (pull.ok()) {
      to_->Deal(shard_, std::move(element));
    } else {
      to_->Deal(shard_, pull.status());
    }
    shard_ = (shard_ + 1) % to_->shards();
  }
}

}  // namespace millrace::ops
