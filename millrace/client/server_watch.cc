#include "millrace/client/server_watch.h"

#include "absl/strings/str_cat.h"
#include "millrace/base/lanes.h"

namespace millrace {

struct ServerWatch::Probe {
  CallContext context;
  GetStatusRequest request;
  GetStatusReply reply;
};

ServerWatch::ServerWatch(std::string address, std::shared_ptr<Caller> caller)
    : address_(std::move(address)),
      caller_(std::move(caller)),
      worker_(MakeWorkerStub(caller_.get())) {}

ServerWatch::~ServerWatch() = default;

ServerWatch::Guard::Guard(Ref<ServerWatch> watch,
                          std::shared_ptr<CancelScope> scope)
    : watch_(std::move(watch)) {
  MutexLock lock(watch_->mu_);
  if (watch_->calls_.empty()) watch_->misses_ = 0;
  entry_ = watch_->calls_.insert(watch_->calls_.end(), std::move(scope));
  watch_->Arm();
}

ServerWatch::Guard::~Guard() {
  MutexLock lock(watch_->mu_);
  watch_->calls_.erase(entry_);
}

void ServerWatch::Arm() {
  if (armed_) return;
  armed_ = true;
  Lanes::Process().timer.RunAt(
      Deadline::AfterMillis(kProbeIntervalMs),
      [self = Ref<ServerWatch>::Share(this)] {
        Lanes::Process().control.Schedule([self] { self->OnTick(); });
      });
}

void ServerWatch::OnTick() {
  {
    MutexLock lock(mu_);
    armed_ = false;
    if (calls_.empty()) return;
  }
  auto probe = std::make_shared<Probe>();
  probe->context.deadline = Deadline::AfterMillis(kProbeIntervalMs);
  worker_->GetStatus(
      probe->context, probe->request, &probe->reply,
      Done([probe, self = Ref<ServerWatch>::Share(this)](const Status& status) {
        self->OnAnswer(status);
      }));
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
    if (!calls_.empty()) Arm();
  }
  for (const auto& scope : lost) {
    scope->Cancel(Unavailable("the server at ", address_, " has not answered ",
                              kMisses, " times in a row: ", status.message()));
  }
}

}  // namespace millrace
