// WorkerState: what the parts of one worker share.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "millrace/base/memory/heap_trimmer.h"
#include "millrace/base/threads/cancel.h"
#include "millrace/base/threads/thread.h"
#include "millrace/cluster/worker/master_watch.h"
#include "millrace/cluster/worker/renamed_devices.h"
#include "millrace/cluster/worker/session_table.h"
#include "millrace/cluster/worker/step_table.h"
#include "millrace/cluster/worker/worker_service.h"
#include "millrace/kernel/device_retirement.h"

namespace millrace {

// Owned by the service; outlives every ActiveCall.
class WorkerState {
 public:
  explicit WorkerState(WorkerServiceOptions o);

  RenamedDevices renamed_devices;  // destroyed after the devices' resources
  WorkerServiceOptions options;    // unchanged until the end
  DeviceRetirement retirement{options.devices};
  const std::string task_name;  // "/job:ps/replica:0/task:0"
  Lanes& lanes;
  FileSystem* const files;
  WorkerApi* api = nullptr;  // the service itself
  Peers* peers = nullptr;    // set once, before the first call

  HeapTrimmer heap_trimmer{lanes};
  CancelScope scope;  // parent of the scopes of all sessions
  const Ref<StepTable> steps;
  const Ref<MasterWatch> masters;
  SessionTable sessions;

  std::atomic<int64_t> steps_done{0};
  std::atomic<int64_t> steps_failed{0};

  // Returns OK, or the reason for which new work is refused.
  Status refusal() const;
  void Refuse(Status reason);
  // Blocks until there is no ActiveCall.
  void Join();

 private:
  friend class ActiveCall;
  mutable Mutex mu_;  // guards all below
  CondVar idle_;
  int64_t active_ = 0;
  Status refusal_;
};

// Keeps the worker alive while a call is in flight. Must be the last thing that
// a call releases.
class ActiveCall {
 public:
  explicit ActiveCall(WorkerState& worker);
  ~ActiveCall();
  ActiveCall(const ActiveCall&) = delete;
  ActiveCall& operator=(const ActiveCall&) = delete;

 private:
  WorkerState& worker_;
};

}  // namespace millrace
