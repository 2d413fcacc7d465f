#include "millrace/cluster/worker/worker_state.h"

#include <utility>

#include "millrace/base/threads/wait.h"

namespace millrace {

WorkerState::WorkerState(WorkerServiceOptions o)
    : options(std::move(o)),
      task_name(options.task.ToString()),
      lanes(options.lanes ? *options.lanes : Lanes::Process()),
      files(options.files ? options.files : DefaultFiles()),
      steps(MakeRef<StepTable>(lanes, task_name, options.early_recv_ms)),
      masters(MakeRef<MasterWatch>(
          lanes,
          MasterWatch::Times{options.probe_interval_ms, options.probe_misses,
                             options.master_lost_ms})),
      sessions(*this) {}

Status WorkerState::refusal() const {
  MutexLock lock(mu_);
  return refusal_;
}

void WorkerState::Refuse(Status reason) {
  MutexLock lock(mu_);
  if (refusal_.ok())
    refusal_ = reason.ok() ? Aborted("the server is stopping") : reason;
}

void WorkerState::Join() {
  MutexLock lock(mu_);
  while (active_ > 0) {
    WaitScope wait("worker: calls in progress");
    idle_.Wait(mu_);
  }
}

ActiveCall::ActiveCall(WorkerState& worker) : worker_(worker) {
  MutexLock lock(worker_.mu_);
  ++worker_.active_;
}

ActiveCall::~ActiveCall() {
  MutexLock lock(worker_.mu_);
  if (--worker_.active_ == 0) worker_.idle_.NotifyAll();
}

}  // namespace millrace
