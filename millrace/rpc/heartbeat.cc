#include "millrace/rpc/heartbeat.h"

#include <utility>

#include "millrace/base/threads/wait.h"

namespace millrace {

Heartbeat::Heartbeat(Mutex& mu, Lanes& lanes, int64_t period_ms,
                     Watcher& watcher)
    : mu_(mu), lanes_(lanes), period_ms_(period_ms), watcher_(watcher) {
  context_.cancel = &scope_;
}

void Heartbeat::ProbeBy(Deadline when) {
  if (stopped_ || next_ <= when) return;
  if (probing_) {
    next_ = when;
    return;
  }
  // If the timer has fired already, its probe is sent now.
  if (timer_ != 0 && !lanes_.timer.Cancel(timer_)) return;
  Plan(when);
}

void Heartbeat::Plan(Deadline when) {
  next_ = when;
  timer_ = lanes_.timer.RunAt(when, [this, keep = watcher_.Keep()]() mutable {
    lanes_.control.Schedule(
        [this, keep = std::move(keep)]() mutable { Ask(std::move(keep)); });
  });
}

void Heartbeat::Rest() {
  next_ = Deadline::Infinite();
  if (stopped_) resting_.NotifyAll();
}

void Heartbeat::Ask(Ref<RefCounted> keep) {
  {
    MutexLock lock(mu_);
    timer_ = 0;
    next_ = Deadline::Infinite();
    if (stopped_ || !watcher_.Waits()) {
      Rest();
      return;
    }
    probing_ = true;
  }
  context_.deadline = Deadline::AfterMillis(period_ms_);
  reply_ = GetStatusReply();
  watcher_.ProbeTarget().GetStatus(
      context_, request_, &reply_,
      Done([this, keep = std::move(keep)](const Status& s) { OnEnd(s); }));
}

void Heartbeat::OnEnd(const Status& status) {
  watcher_.OnAnswer({status, reply_, context_.deadline});
  MutexLock lock(mu_);
  probing_ = false;
  if (stopped_ || next_.infinite()) {
    Rest();
  } else {
    Plan(next_);
  }
}

void Heartbeat::Stop() {
  scope_.Cancel(Cancelled("nobody calls the server any more"));
  MutexLock lock(mu_);
  stopped_ = true;
  if (timer_ != 0 && lanes_.timer.Cancel(timer_)) timer_ = 0;
  while (!rests()) {
    WaitScope wait("the last probe of a server");
    resting_.Wait(mu_);
  }
}

}  // namespace millrace
