// AsyncReplicasHook: what a replica of an AsyncReplicas does beside its steps.
//
// When a session begins it waits for the end of the warm-up, unless it is
// replica 0, and joins the replicas that train, with the clock of the slowest
// of them (so does one that restarts). After each step it waits while it is
// more than max_ahead steps ahead of the slowest. At the end of the training
// (AtEnd) it tells the others that it has ended, so that none waits for it.
//
// A wait says for whom, after report_ms and then at longer and longer
// intervals. A replica that makes no progress for too_long_ms while this one
// waits for it is taken as gone, and what happens then is told by `when_stuck`.
// A replica that was taken as gone and lives finds that out within half of
// too_long_ms of steps, and joins again. Waits end when the coordinator is
// asked to stop; a session that is lost meanwhile is made again.
//
// Every log_every_ms, and at the end, it logs the staleness of all replicas'
// gradients since the last time and how many were dropped; with a writer the
// chief writes the same to an event file as the scalars NAME/staleness (the
// mean since the last time), NAME/max_staleness and NAME/dropped (both up to
// then), where NAME is that of the AsyncReplicas.
#pragma once

#include <cstdint>
#include <memory>

#include "millrace/base/clock.h"
#include "millrace/train/replicas/async_replicas.h"
#include "millrace/train/session_hook.h"

namespace millrace::train {

// Says what a replica does that waits for another one which is gone.
enum class WhenStuck {
  kGoOn,  // it no longer waits for that one, and says so
  kWait,  // it goes on waiting
  // Its training stops: its run fails with DEADLINE_EXCEEDED, in the warm-up
  // Start with FAILED_PRECONDITION.
  kStop
};

struct AsyncReplicasHookOptions {
  // A wait looks at first often, then ever more rarely, at these intervals.
  int64_t least_poll_ms = 2;
  int64_t most_poll_ms = 500;
  int64_t report_ms = 10'000;
  WhenStuck when_stuck = WhenStuck::kGoOn;
  int64_t too_long_ms = 60'000;
  int64_t log_every_ms = 60'000;  // 0: not
  EventWriter* writer = nullptr;  // must outlive the hook
};

// Belongs to one MonitoredSession.
class AsyncReplicasHook final : public SessionHook {
 public:
  // `async` must outlive the hook.
  explicit AsyncReplicasHook(const AsyncReplicas& async,
                             const AsyncReplicasHookOptions& options = {});
  ~AsyncReplicasHook() override;

  Status AfterCreate(HookContext& context) override;
  Status AfterRun(HookContext& context) override;
  Status AtEnd(HookContext& context) override;

  // Returns what the replicas had told when this last looked: after each wait,
  // every log_every_ms, and at the end. Thread-safe.
  ReplicaRecords records() const;
  // Returns how long this replica has waited for others. Thread-safe.
  int64_t waited_nanos() const;

 private:
  class Work;  // of one session
  struct Shown;

  Status Show(const ReplicaRecords& records, const HookContext& context);

  const AsyncReplicas& async_;
  const AsyncReplicasHookOptions options_;
  const std::unique_ptr<Shown> shown_;
  std::unique_ptr<Work> work_;
  ReplicaRecords logged_;  // the last time
  Deadline next_log_;
};

}  // namespace millrace::train
