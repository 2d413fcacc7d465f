#include "millrace/client/server_watch.h"

#include "absl/strings/str_cat.h"
#include "millrace/base/wait.h"

namespace millrace {

ServerWatch::ServerWatch(std::string address, std::shared_ptr<Caller> caller)
    : address_(std::move(address)),
      caller_(std::move(caller)),
      worker_(MakeWorkerStub(caller_.get())),
      lanes_(Lanes::Process()) {
  context_.cancel = &scope_;
}

ServerWatch::~ServerWatch() {
  scope_.Cancel(Cancelled("nobody calls the server any more"));
  MutexLock lock(mu_);
  stopping_ = true;
  if (timer_ != 0 && lanes_.timer.Cancel(timer_)) active_ = false;
  while (active_) {
    WaitScope wait("the last probe of a server");
    idle_.Wait(mu_);
  }
}

ServerWatch::Guard::Guard(ServerWatch& watch,
                          std::shared_ptr<CancelScope> scope)
    : watch_(watch) {
  MutexLock lock(watch_.mu_);
  if (watch_.calls_.empty()) watch_.misses_ = 0;
  entry_ = watch_.calls_.insert(watch_.calls_.end(), std::move(scope));
  if (!watch_.active_) watch_.Arm();
}

ServerWatch::Guard::~Guard() {
  MutexLock lock(watch_.mu_);
  watch_.calls_.erase(entry_);
}

void ServerWatch::Arm() {
  active_ = true;
  timer_ = lanes_.timer.RunAt(Deadline::AfterMillis(kProbeIntervalMs), [this] {
    lanes_.control.Schedule([this] { OnTick(); });
  });
}

void ServerWatch::OnTick() {
  {
    MutexLock lock(mu_);
    timer_ = 0;
    if (calls_.empty() || stopping_) {
      active_ = false;
      idle_.NotifyAll();
      return;
    }
  }
  context_.deadline = Deadline::AfterMillis(kProbeIntervalMs);
  reply_ = {};
  worker_->GetStatus(context_, request_, &reply_,
                     Done([this](const Status& status) { OnAnswer(status); }));
}

void ServerWatch::OnAnswer(const Status& status) {
  // Whatever else it says, it is there.
  const bool missed =
      absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status);
  std::list<std::shared_ptr<CancelScope>> lost;
  {
    MutexLock lock(mu_);
    misses_ = missed ? misses_ + 1 : 0;
    if (misses_ >= kMisses) {
      lost = calls_;
      misses_ = 0;
    }
  }
  for (const auto& scope : lost) {
    scope->Cancel(Unavailable("the server at ", address_, " has not answered ",
                              kMisses, " times in a row: ", status.message()));
  }
  MutexLock lock(mu_);
  if (!calls_.empty() && !stopping_) {
    Arm();
  } else {
    active_ = false;
    idle_.NotifyAll();
  }
}

}  // namespace millrace
