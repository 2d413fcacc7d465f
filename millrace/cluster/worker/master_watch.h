// MasterWatch: whether the masters of a worker's sessions are alive.
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

// A master is asked for GetStatus each `interval_ms` while a step of its runs,
// ten times less often while it has sessions, never else. A step ends after
// `misses` questions in a row that got no answer, with ABORTED; a session when
// the master's incarnation has changed or it was silent for `lost_ms`. A step
// counts misses from its own beginning. Thread-safe; calls nobody under its
// lock.
class MasterWatch : public RefCounted {
 public:
  struct Times {
    int64_t interval_ms;
    int misses;
    int64_t lost_ms;
  };
  MasterWatch(Lanes& lanes, Times times);

  // `lost` runs at most once, on the control lane. The id is never 0.
  uint64_t AddSession(Ref<Peer> master, int64_t master_incarnation,
                      absl::AnyInvocable<void(Status)> lost);
  void RemoveSession(uint64_t session);
  // A run of the session begins and ends. 0 stands for a session that is not
  // watched.
  void AddStep(uint64_t session, int64_t step_id, Ref<StepRun> run);
  void RemoveStep(uint64_t session, int64_t step_id);
  // Asks nobody any more, and waits for callbacks that run.
  void Stop();

 private:
  struct Master;
  struct Session;
  struct Step;
  struct Ended;

  void OnAnswer(Master& master, const Heartbeat::Answer& answer);
  // With mu_ held.
  void OnAlive(Master& master, const GetStatusReply& reply, Ended* ended);
  void OnSilent(Master& master, Ended* ended);

  Lanes& lanes_;
  const Times times_;

  Mutex mu_;  // guards all below, and the masters' contents
  CondVar idle_;
  bool stopped_ = false;
  int calling_ = 0;  // threads that call runs and sessions
  uint64_t next_session_ = 1;
  absl::btree_map<uint64_t, Ref<Master>> sessions_;  // by session
};

}  // namespace millrace
