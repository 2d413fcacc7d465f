// SyncReplicasHook: what a replica of a SyncReplicas does beside its steps.
//
// The chief applies the averages and hands out tokens, on a thread of its own;
// it leaves last, so that no replica waits for tokens that nobody hands out.
// Where no gradient has come for long, it tells whom the step waits for, and
// then waits, hands out the missing tokens again, or ends the training, as it
// is told. A replica that becomes chief after the chief was lost goes on where
// that stopped.
//
// At the end of a training (AtEnd) a replica gives the token of its last step
// back, for another one, and tells the chief that it leaves. The chief goes on
// with its updates until all others have told it so, for leave_timeout_ms at
// most; then it logs how many have not. For these the data ends as soon as they
// wait for more tokens: their runs fail with OUT_OF_RANGE.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "millrace/train/replicas/sync_replicas.h"
#include "millrace/train/session_hook.h"

namespace millrace::train {

// Says what becomes of a step that gets no gradient for `too_few_ms`.
enum class WhenTooFew {
  kWait,  // as stock TensorFlow does: for ever
  // The replicas that are alive compute the gradients that are missing.
  kReplace,
  // Each replica's run fails with DEADLINE_EXCEEDED, and its training stops.
  kStop
};

struct SyncReplicasHookOptions {
  // As that of the MonitoredSession.
  std::function<bool()> is_chief;
  // How often the replica looks after a step that does not end.
  int64_t poll_ms = 1'000;
  // A step that takes longer is reported: who has given how many gradients.
  int64_t report_ms = 10'000;
  WhenTooFew when_too_few = WhenTooFew::kReplace;
  int64_t too_few_ms = 30'000;
  // How long the chief waits at the end for the other replicas to leave.
  int64_t leave_timeout_ms = 60'000;
};

// Belongs to one MonitoredSession. Its threads never outlive a session.
class SyncReplicasHook final : public SessionHook {
 public:
  // `sync` must outlive the hook.
  SyncReplicasHook(const SyncReplicas& sync,
                   const SyncReplicasHookOptions& options = {});
  ~SyncReplicasHook() override;

  Status AfterCreate(HookContext& context) override;
  Status AfterRun(HookContext& context) override;
  Status AtEnd(HookContext& context) override;

  // Returns how many updates this replica made as chief, and how many tokens it
  // handed out again. Thread-safe.
  int64_t updates() const;
  int64_t replaced_tokens() const;
  // Returns how many of this replica's gradients were dropped because they came
  // too late for their step, when the hook last looked: every report_ms, and at
  // the end. It logs them, too. Thread-safe.
  int64_t dropped_gradients() const;

 private:
  class Work;  // of one session
  // The counts of all sessions.
  struct Counts {
    std::atomic<int64_t> updates{0};
    std::atomic<int64_t> replaced{0};
    std::atomic<int64_t> dropped{0};
  };

  const SyncReplicasOps& ops_;
  const SyncReplicasHookOptions options_;
  std::unique_ptr<Work> work_;
  bool was_created_ = false;
  Counts counts_;
};

}  // namespace millrace::train
