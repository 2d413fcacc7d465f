// BlockingCall: runs work of an iterator on the blocking pool.
#pragma once

#include <memory>

#include "absl/functional/any_invocable.h"
#include "millrace/ops/data/dataset.h"
#include "millrace/ops/data/iterator_runtime.h"

namespace millrace::ops {

// Runs one call at a time. May be used by one thread at a time.
class BlockingCall {
 public:
  bool in_progress() const { return state_ != nullptr; }
  // Runs `body` once on the pool. `body` must own what it works on, since the
  // iterator may be destroyed first. Returns RESOURCE_EXHAUSTED if too many
  // calls wait for the pool.
  Status Start(PollContext& ctx, absl::AnyInvocable<Status()> body) {
    auto state = std::make_shared<State>();
    state->runtime = ctx.runtime().shared_from_this();
    state->task = ctx.task();
    MR_RETURN_IF_ERROR(ctx.runtime().lanes().blocking.TrySchedule(
        [state, body = std::move(body)]() mutable {
          Status status = body();
          body = nullptr;  // before the runtime is released
          const std::shared_ptr<IteratorRuntime> runtime =
              std::move(state->runtime);
          {
            MutexLock lock(state->mu);
            state->over = true;
            state->status = std::move(status);
          }
          if (const auto task = state->task.lock()) task->Wake();
        }));
    state_ = std::move(state);
    return OkStatus();
  }
  // Returns kPending while the call runs, then kElement or the call's error.
  // Requires: in_progress().
  StatusOr<Pull> Finish() {
    {
      MutexLock lock(state_->mu);
      if (!state_->over) return Pull::kPending;
    }
    const std::shared_ptr<State> state = std::move(state_);
    MR_RETURN_IF_ERROR(state->status);
    return Pull::kElement;
  }

 private:
  struct State {
    std::shared_ptr<IteratorRuntime> runtime;  // until the call is over
    std::weak_ptr<PollTask> task;
    Mutex mu;
    bool over = false;  // guarded by mu, as is the next field
    Status status;
  };
  std::shared_ptr<State> state_;
};

}  // namespace millrace::ops
