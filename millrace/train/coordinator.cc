#include "millrace/train/coordinator.h"

namespace millrace::train {

void Coordinator::RequestStop(const Status& reason) {
  std::shared_ptr<CancelScope> scope;
  {
    MutexLock lock(mu_);
    stop_ = true;
    if (reason.code() != StatusCode::kOutOfRange &&
        reason.code() != StatusCode::kCancelled) {
      UpdateStatus(status_, reason);
    }
    changed_.NotifyAll();
    scope = stop_scope_;
  }
  scope->Cancel(Cancelled("a stop was requested"));
}

std::shared_ptr<CancelScope> Coordinator::stop_scope() const {
  MutexLock lock(mu_);
  return stop_scope_;
}

bool Coordinator::ShouldStop() const {
  MutexLock lock(mu_);
  return stop_;
}

bool Coordinator::WaitForStop(Deadline deadline) {
  MutexLock lock(mu_);
  while (!stop_) {
    if (changed_.WaitUntil(mu_, deadline)) return stop_;
  }
  return true;
}

void Coordinator::ClearStop() {
  MutexLock lock(mu_);
  stop_ = false;
  stop_scope_ = std::make_shared<CancelScope>();
  status_ = OkStatus();
}

void Coordinator::Register() {
  MutexLock lock(mu_);
  ++registered_;
}

void Coordinator::Unregister() {
  MutexLock lock(mu_);
  --registered_;
  changed_.NotifyAll();
}

Status Coordinator::Join(int64_t grace_ms) {
  WaitForStop();
  const Deadline deadline = Deadline::AfterMillis(grace_ms);
  MutexLock lock(mu_);
  while (registered_ > 0) {
    if (!changed_.WaitUntil(mu_, deadline) || registered_ == 0) continue;
    if (!status_.ok()) return status_;
    return DeadlineExceeded("Coordinator stopped with threads still running: ",
                            registered_);
  }
  return status_;
}

Status Coordinator::status() const {
  MutexLock lock(mu_);
  return status_;
}

}  // namespace millrace::train
