// MonitoredSession: a session that is ready to train, keeps checkpoints, and
// comes back after tasks of the cluster were lost.
//
//   MonitoredSession session(scope, options, {&stop_at, &summaries});
//   const int train = session.Define({{x, y}, {loss, train_op.output(0)}, {},
//                                     /*step_fetch=*/1});
//   MR_RETURN_IF_ERROR(session.Start());
//   while (!session.ShouldStop()) { ... session.Run(train, {batch, labels}) }
//   MR_RETURN_IF_ERROR(session.Close());
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "millrace/client/session.h"
#include "millrace/client/variables/variables.h"
#include "millrace/train/coordinator.h"
#include "millrace/train/input/queue_threads.h"
#include "millrace/train/saver.h"
#include "millrace/train/session_hook.h"

namespace millrace::train {

struct MonitoredOptions {
  SessionOptions session;
  // The chief initializes, restores and saves; the others wait for that. May
  // change its answer while it runs, as when a chief was lost. Empty: always.
  std::function<bool()> is_chief;
  std::string checkpoint_dir;  // empty: no checkpoints
  std::string checkpoint_name = "model.ckpt";
  double save_seconds = 600;  // 0: not by time
  int64_t save_steps = 0;     // 0: not by steps
  SaverOptions saver;
  // Between looks at a cluster that is not ready.
  int64_t poll_ms = 200;
  // How long the cluster may take to be ready, at the start and at a recovery.
  int64_t ready_timeout_ms = 300'000;
};

// What is run over and over.
struct RunDefinition {
  std::vector<Output> feeds;
  std::vector<Output> fetches;
  std::vector<ControlInput> targets;
  // Which fetch is the global step; then the run counts as training: hooks see
  // it and checkpoints may follow.
  std::optional<size_t> step_fetch;
};

// One thread; RequestStop of the coordinator from any.
//
// The graph's queue runners run along with each session, from when its
// variables have values. Their errors stop the coordinator and are what Run and
// Close report; those that a lost task gives make the session again, and then
// the queues stay as they are.
class MonitoredSession {
 public:
  // Adds its ops to the graph and finalizes it; hooks and `coordinator` (null:
  // its own) outlive the session.
  MonitoredSession(const Scope& scope, MonitoredOptions options,
                   std::vector<SessionHook*> hooks = {},
                   Coordinator* coordinator = nullptr);
  ~MonitoredSession();
  MonitoredSession(const MonitoredSession&) = delete;
  MonitoredSession& operator=(const MonitoredSession&) = delete;

  // The number of a run, for Run. Before or after Start.
  int Define(RunDefinition run);

  // Waits until all variables have values. The chief restores the newest
  // checkpoint if some have none, or initializes if there is no checkpoint;
  // values that an earlier program left it saves at once. DEADLINE_EXCEEDED,
  // with the last error, after ready_timeout_ms; CANCELLED if a stop is
  // requested; FAILED_PRECONDITION once closed. OK if there is a session.
  Status Start();
  // After ABORTED and UNAVAILABLE the session is made again, as by Start, and
  // the run is run again with the same feeds.
  StatusOr<std::vector<Tensor>> Run(int run, const std::vector<Tensor>& feeds);
  bool ShouldStop() const { return coordinator_->ShouldStop(); }
  // As the chief: writes a checkpoint now; FAILED_PRECONDITION without a
  // session.
  Status SaveNow();
  // The last checkpoint, the hooks' ends. If the session was lost with steps
  // that no checkpoint has, the chief makes it again, once, to save them,
  // within ready_timeout_ms if the session's operations have no limit of their
  // own; what it cannot save is an error, DATA_LOSS if the values are gone.
  // Idempotent.
  Status Close();

  Coordinator& coordinator() { return *coordinator_; }
  Saver* saver() { return saver_.get(); }
  // As the last run or the start told.
  int64_t global_step() const { return global_step_; }
  // How often a session was made again.
  int64_t recoveries() const { return recoveries_; }
  // The checkpoint that the present session began with; "" if none.
  const std::string& restored_from() const { return restored_from_; }

 private:
  bool IsChief() const { return !options_.is_chief || options_.is_chief(); }
  HookContext Context(absl::Span<const Tensor> fetches = {});
  // A session whose variables all have values.
  Status MakeSession();
  Status MakeReady();  // of session_, one attempt
  Status RestoreOrInitialize();
  StatusOr<Callable*> Prepared(int run);
  Status AfterRun(const RunDefinition& run, const std::vector<Tensor>& fetches);
  Status SaveIfDue();
  Status SaveEnd();
  // A session of the variables as the lost one left them.
  Status HoldLastValues();
  void StartQueues();
  // What a failed run reports: the reason, where a queue runner has it.
  Status Reason(const Status& status) const;
  void Drop();

  const Scope scope_;
  const MonitoredOptions options_;
  const std::vector<SessionHook*> hooks_;
  Coordinator own_coordinator_;
  Coordinator* const coordinator_;
  ops::Variable step_variable_;  // may be null
  Output uninitialized_;
  Operation init_;
  Operation local_init_;
  std::unique_ptr<Saver> saver_;  // null without checkpoints
  std::vector<RunDefinition> runs_;
  bool has_queue_runners_ = false;

  std::unique_ptr<Session> session_;  // null: lost or not there yet
  std::vector<std::optional<Callable>> prepared_;  // of session_
  // Of session_: cancelled if a queue runner finds that a task was lost; null
  // in a graph without runners.
  std::unique_ptr<CancelScope> lost_;
  QueueThreads queues_;
  int64_t global_step_ = 0;
  int64_t recoveries_ = 0;
  std::string restored_from_;
  bool restore_pending_ = false;  // begun, and not ended well
  bool knows_history_ = false;
  bool was_ready_ = false;   // some session was
  int64_t saved_step_ = 0;   // of the last checkpoint written or restored
  int64_t saved_nanos_ = 0;  // when
  bool closed_ = false;
};

// True for the codes that a lost task gives.
bool IsRecoverable(const Status& status);

}  // namespace millrace::train
