#include "examples/parallel/cpp/timed_device.h"

#include <vector>

#include "millrace/millrace.h"

namespace millrace::parallel {

TimedDevice::TimedDevice(const Cluster& cluster, int worker, int64_t takes_ms)
    : worker_(worker),
      takes_ms_(takes_ms),
      graph_(cluster.NewGraph()),
      session_(graph_, cluster.Master(worker)),
      thread_("device", [this] { Work(); }) {}

TimedDevice::~TimedDevice() {
  {
    MutexLock lock(mu_);
    ends_ = true;
    changed_.NotifyAll();
  }
  thread_.Join();
}

FIFOQueue TimedDevice::ReadyQueue(const Scope& scope) const {
  return FIFOQueue(
      scope.WithDevice(Cluster::Worker(worker_)).WithOpName("ready"),
      {DataType::kBool},
      {.capacity = 1, .shapes = {PartialShape({})}, .shared_name = "ready"});
}

Gradients TimedDevice::Hold(const Scope& scope,
                            const Gradients& gradients) const {
  const Scope s = scope.WithDevice(Cluster::Worker(worker_));
  std::vector<ControlInput> computed;
  for (const train::GradientAndVariable& each : gradients) {
    computed.emplace_back(each.gradient.tensor);
  }
  const std::vector<Output> ready =
      ReadyQueue(scope).Dequeue(s.WithControlDependencies(computed));
  if (!scope.ok()) return gradients;
  const Scope later = s.WithControlDependencies({ready[0]});
  Gradients held;
  for (const train::GradientAndVariable& each : gradients) {
    held.push_back({ops::Identity(later, each.gradient.tensor), each.variable});
  }
  return held;
}

void TimedDevice::Begin() {
  MutexLock lock(mu_);
  ++begun_;
  changed_.NotifyAll();
}

Status TimedDevice::status() const {
  MutexLock lock(mu_);
  return status_;
}

void TimedDevice::Work() {
  const Operation put = ReadyQueue(graph_).Enqueue(graph_, {true});
  MutexLock lock(mu_);
  while (true) {
    while (begun_ == 0 && !ends_) changed_.Wait(mu_);
    if (begun_ == 0) return;
    --begun_;
    lock.Unlock();
    SleepUntil(Deadline::AfterMillis(takes_ms_));
    const Status status = session_.RunTargets({put});
    lock.Lock();
    if (status_.ok()) status_ = status;
  }
}

}  // namespace millrace::parallel
