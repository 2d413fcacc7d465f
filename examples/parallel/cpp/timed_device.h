// TimedDevice: stands for a device that takes some time for a batch, without
// the computing that would take the cores of all the others.
#pragma once

#include <cstdint>

#include "examples/parallel/cpp/cluster.h"
#include "examples/parallel/cpp/replicas.h"
#include "millrace/millrace.h"

namespace millrace::parallel {

// The gradients of a step are computed of the values that the variables have
// when it begins, and go on when the time has passed: the graph waits for an
// element of a queue on the worker, which a thread puts there.
class TimedDevice {
 public:
  // Of a worker of the cluster, which must outlive this.
  TimedDevice(const Cluster& cluster, int worker, int64_t takes_ms);
  // All steps that began have ended.
  ~TimedDevice();

  // In the graph of the replica: returns the gradients as they go on.
  Gradients Hold(const Scope& scope, const Gradients& gradients) const;
  // A step begins. Any thread.
  void Begin();
  // The first error of the thread, which makes the steps wait in vain.
  Status status() const;

 private:
  FIFOQueue ReadyQueue(const Scope& scope) const;
  void Work();

  const int worker_;
  const int64_t takes_ms_;
  const Scope graph_;
  Session session_;
  mutable Mutex mu_;  // guards all below
  CondVar changed_;
  int64_t begun_ = 0;  // steps that have begun and are not ready
  bool ends_ = false;
  Status status_;
  Thread thread_;
};

}  // namespace millrace::parallel
