#include "millrace/client/backend/server_watch.h"

#include "absl/strings/str_cat.h"
#include "millrace/graph/device_name.h"

namespace millrace {

ServerWatch::ServerWatch(std::string address, std::shared_ptr<Caller> caller)
    : address_(std::move(address)),
      caller_(std::move(caller)),
      worker_(MakeWorkerStub(caller_.get())),
      heartbeat_(mu_, Lanes::Process(), kProbeIntervalMs, *this) {}

ServerWatch::~ServerWatch() { heartbeat_.Stop(); }

std::string ServerWatch::who() const {
  MutexLock lock(mu_);
  return task_.empty() ? absl::StrCat("the server at ", address_)
                       : absl::StrCat("task ", task_, " (", address_, ")");
}

ServerWatch::Guard::Guard(ServerWatch& watch,
                          std::shared_ptr<CancelScope> scope)
    : watch_(watch) {
  MutexLock lock(watch_.mu_);
  if (watch_.calls_.empty()) watch_.misses_.Forget();
  entry_ = watch_.calls_.insert(watch_.calls_.end(), std::move(scope));
  if (!watch_.heartbeat_.rests()) return;
  watch_.heartbeat_.ProbeBy(
      Deadline::AfterMillis(watch_.task_.empty() ? 0 : kProbeIntervalMs));
}

ServerWatch::Guard::~Guard() {
  MutexLock lock(watch_.mu_);
  watch_.calls_.erase(entry_);
}

void ServerWatch::OnAnswer(const Heartbeat::Answer& answer) {
  // Any other error is an answer: the server is alive.
  const bool missed = absl::IsUnavailable(answer.status) ||
                      absl::IsDeadlineExceeded(answer.status);
  const auto& devices = answer.reply.device_attributes;
  std::list<std::shared_ptr<CancelScope>> lost;
  {
    MutexLock lock(mu_);
    if (answer.status.ok() && !devices.empty()) {
      const auto name = DeviceName::Parse(devices[0].name);
      if (name.ok()) task_ = name->TaskString();
    }
    if (misses_.Count(!missed)) lost = calls_;
  }
  for (const auto& scope : lost) {
    scope->Cancel(Unavailable("it has not answered ", kMisses,
                              " times in a row: ", answer.status.message()));
  }
  MutexLock lock(mu_);
  if (!calls_.empty()) heartbeat_.ProbeBy(answer.due);
}

}  // namespace millrace
