// StepTable: the steps in which this task takes part, by id.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "millrace/base/memory/recent_set.h"
#include "millrace/base/memory/ref.h"
#include "millrace/base/threads/lanes.h"
#include "millrace/cluster/request_log.h"
#include "millrace/exec/local_rendezvous.h"
#include "millrace/exec/step_stats.h"
#include "millrace/protocol/peer.h"
#include "millrace/protocol/worker.h"

namespace millrace {

// A RecvTensor in flight, for duplicate requests.
class ReceiveCall : public RefCounted {
 public:
  // Attaches a call. Returns false, with `done` untouched, if the receive has
  // ended.
  virtual bool Attach(CallContext& context, RecvTensorReply* reply,
                      Done& done) = 0;
};

// A running step, as the table sees it.
class StepRun : public RefCounted {
 public:
  // Ends the step with `reason`; idempotent, and does not block.
  virtual void Cancel(const Status& reason) = 0;
};

// A step is created by RunGraph, or by a RecvTensor that arrives before it. It
// stays until it is cleaned up, so that after the run values can still be
// taken, or its error be reported. The table remembers the last 4096 steps that
// are over. Thread-safe.
class StepTable : public RefCounted {
 public:
  // Lives while it is referenced; the table holds a reference until the step is
  // cleaned up.
  class Step : public RefCounted {
   public:
    explicit Step(int64_t step_id)
        : id(step_id), rendezvous(MakeRef<LocalRendezvous>()), receives(4096) {}

    const int64_t id;
    const Ref<LocalRendezvous> rendezvous;
    RequestLog<ReceiveCall> receives;  // RecvTensor calls by request id
    // Where transfers record their times; null: nowhere. Set before the run
    // sends its first value, and read only by receivers of a value.
    std::shared_ptr<StepStatsCollector> stats;

   private:
    friend class StepTable;
    enum State { kEarly, kRunning, kEnded };
    // Guarded by the table's lock.
    State state_ = kEarly;
    std::string session_;  // handle
    Ref<StepRun> run_;     // while it runs
    Status status_;        // once it ended
    int receiving_ = 0;
    int64_t since_nanos_ = 0;
    Timer::Id timer_ = 0;  // while early
  };

  // `early_ms` is how long a step may wait for its RunGraph.
  StepTable(Lanes& lanes, std::string task, int64_t early_ms);

  // Returns ABORTED if the id is in use or over.
  StatusOr<Ref<Step>> BeginRun(int64_t step_id, const std::string& session,
                               Ref<StepRun> run);
  // Records the end of the run. If it failed, receives get `status` from now
  // on. With `keep_run` it is still cancelled when the step is cleaned up.
  void EndRun(Step& step, const Status& status, bool keep_run = false);
  // Finds the step for a RecvTensor; creates an early step if there is none.
  // Returns the step's error if it failed, ABORTED if it is over.
  StatusOr<Ref<Step>> BeginReceive(int64_t step_id);
  void EndReceive(Step& step);

  // Handles CleanupGraph: the step is over, and its run is cancelled.
  void CleanUp(int64_t step_id);
  // Ends all steps of a session, or all steps of the table, with `reason`.
  void EndSession(const std::string& session, const Status& reason);
  void EndAll(const Status& reason);

  struct Counts {
    int64_t steps = 0;
    int64_t running = 0;
    int64_t rendezvous_entries = 0;
  };
  Counts counts() const;
  void AppendWaits(size_t max, std::vector<ServerWait>* waits) const;

 private:
  using Table = absl::btree_map<int64_t, Ref<Step>>;
  // The step is over, with this error if it has one. Requires: mu_ is held.
  void Remember(int64_t step_id, const Status& status);
  // Returns what a call of a step that is over gets: its error if it failed,
  // otherwise ABORTED; OK for other steps. Requires: mu_ is held.
  Status IfOver(int64_t step_id) const;
  void Finish(std::vector<Ref<Step>> steps, std::vector<Ref<StepRun>> runs,
              const Status& reason);
  void OnEarlyTimeout(const Ref<Step>& step);

  Lanes& lanes_;
  const std::string task_;
  const int64_t early_ms_;

  mutable Mutex mu_;  // guards all below
  Table steps_;
  RecentSet<int64_t> over_;
  absl::flat_hash_map<int64_t, Status> errors_;  // of those over_ that failed
};

}  // namespace millrace
