#include "millrace/client/backend/server_watch.h"

#include "absl/strings/str_cat.h"
#include "millrace/base/threads/wait.h"
#include "millrace/graph/device_name.h"

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

std::string ServerWatch::who() const {
  MutexLock lock(mu_);
  return task_.empty() ? absl::StrCat("the server at ", address_)
                       : absl::StrCat("task ", task_, " (", address_, ")");
}

ServerWatch::Guard::Guard(ServerWatch& watch,
                          std::shared_ptr<CancelScope> scope)
    : watch_(watch) {
  MutexLock lock(watch_.mu_);
  if (watch_.calls_.empty()) watch_.misses_ = 0;
  entry_ = watch_.calls_.insert(watch_.calls_.end(), std::move(scope));
  if (watch_.active_) return;
  watch_.ArmAt(
      Deadline::AfterMillis(watch_.task_.empty() ? 0 : kProbeIntervalMs));
}

ServerWatch::Guard::~Guard() {
  MutexLock lock(watch_.mu_);
  watch_.calls_.erase(entry_);
}

void ServerWatch::ArmAt(Deadline when) {
  active_ = true;
  timer_ = lanes_.timer.RunAt(
      when, [this] { lanes_.control.Schedule([this] { OnTick(); }); });
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
    if (status.ok() && !reply_.device_attributes.empty()) {
      const auto name = DeviceName::Parse(reply_.device_attributes[0].name);
      if (name.ok()) task_ = name->TaskString();
    }
    misses_ = missed ? misses_ + 1 : 0;
    if (misses_ >= kMisses) {
      lost = calls_;
      misses_ = 0;
    }
  }
  for (const auto& scope : lost) {
    scope->Cancel(Unavailable("it has not answered ", kMisses,
                              " times in a row: ", status.message()));
  }
  MutexLock lock(mu_);
  if (!calls_.empty() && !stopping_) {
    // An interval after the last question, not after its answer.
    ArmAt(context_.deadline);
  } else {
    active_ = false;
    idle_.NotifyAll();
  }
}

}  // namespace millrace
