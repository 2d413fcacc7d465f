#include "millrace/ops/queue/waiters.h"

#include <utility>

namespace millrace::ops {

struct WaitingResource::Waiter {
  Try attempt;
  bool ordered = false;
  Done done;
  Status status;
  CancelScope* scope = nullptr;
  CancelScope::Token token = 0;
  Deadline deadline;  // of the step
  TaskQueue* completions = nullptr;
  Lack lack;
  std::optional<WaitScope> wait;

  // Its step's time is over, though the timer that ends it may be late.
  bool GaveUp() const {
    return wait.has_value() && scope != nullptr && deadline.expired();
  }
};

namespace {

Status Removed() {
  return Cancelled("The operation was cancelled: its resource was removed");
}

}  // namespace

WaitingResource::WaitingResource() = default;
WaitingResource::~WaitingResource() = default;

void WaitingResource::OnRemoved() {
  {
    MutexLock lock(mu_);
    removed_ = true;
  }
  EndWaiting(Removed());
}

int64_t WaitingResource::waiting() const {
  MutexLock lock(mu_);
  return static_cast<int64_t>(waiters_.size());
}

void WaitingResource::Start(KernelContext& ctx, absl::string_view what,
                            bool ordered, Try attempt, Done done, Lack lack) {
  auto waiter = std::make_unique<Waiter>();
  Waiter* const own = waiter.get();
  own->attempt = std::move(attempt);
  own->ordered = ordered;
  own->done = std::move(done);
  own->lack = std::move(lack);
  own->scope = ctx.step().cancel;
  own->deadline = ctx.step().deadline;
  own->completions = &ctx.device().lanes().inter_op;
  Finished finished;
  {
    MutexLock lock(mu_);
    const uint64_t id = next_id_++;
    waiters_.emplace_hint(waiters_.end(), id, std::move(waiter));
    Flush(&finished);
    const auto it = waiters_.find(id);
    if (it != waiters_.end() && removed_) {
      // Looked up before it was removed: nobody else will find it again.
      own->status = Removed();
      finished.push_back(std::move(it->second));
      waiters_.erase(it);
    } else if (it != waiters_.end()) {
      CancelScope::Registration registered;
      if (own->scope != nullptr) {
        registered = own->scope->Register(
            [alive = Ref<WaitingResource>::Share(this), id,
             scope = own->scope] { alive->Cancel(id, *scope); });
      }
      if (registered.ok()) {
        own->token = registered.token;
        own->wait.emplace(absl::StrCat(what, ", node ", ctx.node().name,
                                       ", step ", ctx.step().step_id),
                          own->lack.unit,
                          own->lack.unit == nullptr ? 0 : own->lack.count());
      } else {
        own->status = registered.status;
        finished.push_back(std::move(it->second));
        waiters_.erase(it);
      }
    }
  }
  Finish(std::move(finished), own);
}

void WaitingResource::StateChanged() {
  Finished finished;
  {
    MutexLock lock(mu_);
    Flush(&finished);
  }
  Finish(std::move(finished), nullptr);
}

// Until none of them changes anything any more.
void WaitingResource::Flush(Finished* finished) {
  for (bool changed = true; changed;) {
    changed = false;
    bool ordered_waits = false;
    for (auto it = waiters_.begin(); it != waiters_.end();) {
      Waiter& waiter = *it->second;
      if (waiter.GaveUp()) {
        ++it;
        continue;
      }
      if ((waiter.ordered && ordered_waits) ||
          !waiter.attempt(&waiter.status)) {
        ordered_waits |= waiter.ordered;
        ++it;
        continue;
      }
      changed = true;
      finished->push_back(std::move(it->second));
      it = waiters_.erase(it);
    }
  }
  for (auto& [id, waiter] : waiters_) {
    if (waiter->lack.unit != nullptr && waiter->wait.has_value()) {
      waiter->wait->set_missing(waiter->lack.count());
    }
  }
}

void WaitingResource::EndWaiting(const Status& status) {
  Finished finished;
  {
    MutexLock lock(mu_);
    for (auto& [id, waiter] : waiters_) {
      waiter->status = status;
      finished.push_back(std::move(waiter));
    }
    waiters_.clear();
  }
  Finish(std::move(finished), nullptr);
}

void WaitingResource::Cancel(uint64_t id, const CancelScope& scope) {
  Finished finished;
  {
    MutexLock lock(mu_);
    const auto it = waiters_.find(id);
    if (it == waiters_.end()) return;
    it->second->status = scope.status();
    it->second->token = 0;
    finished.push_back(std::move(it->second));
    waiters_.erase(it);
    Flush(&finished);
  }
  Finish(std::move(finished), nullptr);
}

void WaitingResource::Finish(Finished finished, const Waiter* own) {
  std::unique_ptr<Waiter> mine;
  for (std::unique_ptr<Waiter>& waiter : finished) {
    if (waiter->token != 0) waiter->scope->Unregister(waiter->token);
    waiter->wait.reset();
    if (waiter.get() == own) {
      mine = std::move(waiter);
      continue;
    }
    TaskQueue* const completions = waiter->completions;
    completions->Schedule([waiter = std::move(waiter)]() mutable {
      std::move(waiter->done)(std::move(waiter->status));
    });
  }
  if (mine) std::move(mine->done)(std::move(mine->status));
}

}  // namespace millrace::ops
