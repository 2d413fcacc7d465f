// MasterWatch: the failure detector for the masters of a worker's sessions.
#pragma once

#include <cstdint>
#include <memory>

#include "absl/container/btree_map.h"
#include "absl/functional/any_invocable.h"
#include "millrace/base/threads/lanes.h"
#include "millrace/cluster/peers.h"
#include "millrace/cluster/worker/step_table.h"
#include "millrace/rpc/heartbeat.h"

namespace millrace {

// Probes a master with GetStatus each `interval_ms` while one of its steps
// runs, ten times less often while it has sessions, and never otherwise. A step
// ends with ABORTED after `misses` consecutive probes without a reply; a
// session ends when the master's incarnation has changed or it was silent for
// `lost_ms`. A step counts misses from its own beginning. Thread-safe; makes no
// calls under its lock.
class MasterWatch : public RefCounted {
 public:
  struct Times {
    int64_t interval_ms;
    int misses;
    int64_t lost_ms;
  };
  MasterWatch(Lanes& lanes, Times times);

  // `lost` runs at most once, on the control lane. Returns an id that is never
  // 0.
  uint64_t AddSession(Ref<Peer> master, int64_t master_incarnation,
                      absl::AnyInvocable<void(Status)> lost);
  void RemoveSession(uint64_t session);
  // Record that a run of the session begins and ends. 0 stands for a session
  // that is not watched.
  void AddStep(uint64_t session, int64_t step_id, Ref<StepRun> run);
  void RemoveStep(uint64_t session, int64_t step_id);
  // Stops all probes, and blocks until running callbacks have returned.
  void Stop();

 private:
  struct Master;
  struct Session;
  struct Step;
  struct Ended;

  void OnAnswer(Master& master, const Heartbeat::Answer& answer);
  // Requires: mu_ is held.
  void OnAlive(Master& master, const GetStatusReply& reply, Ended* ended);
  void OnNoAnswer(Master& master, Ended* ended);

  Lanes& lanes_;
  const Times times_;

  Mutex mu_;  // guards all below, and the masters' contents
  CondVar idle_;
  bool stopped_ = false;
  int calling_ = 0;  // threads that are calling runs and sessions
  uint64_t next_session_ = 1;
  absl::btree_map<uint64_t, Ref<Master>> sessions_;  // by session
};

}  // namespace millrace
