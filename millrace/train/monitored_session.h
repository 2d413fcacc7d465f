// MonitoredSession: a session that initializes or restores the variables, keeps
// checkpoints, and recovers after tasks of the cluster were lost.
//
//   MonitoredSession session(scope, {.checkpoint_dir = "/d",
//                                    .hooks = {&stop_at, &summaries}});
//   const MonitoredCallable train = session.Prepare(
//       {x, y}, {loss, train_op.output(0)}, {}, {.step_fetch = 1});
//   MR_RETURN_IF_ERROR(session.Start());
//   while (!session.ShouldStop()) { ... train.Run({batch, labels}) ... }
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

struct MonitoredSessionOptions {
  SessionOptions session;
  // Returns whether this is the chief, which initializes, restores and saves;
  // the others wait for it. The answer may change, for example after a chief
  // was lost. Empty: always the chief.
  std::function<bool()> is_chief;
  std::string checkpoint_dir;  // empty: no checkpoints
  // The prefix of a checkpoint that each session of the chief begins with,
  // whatever values the variables have; for evaluations. Empty: the newest of
  // checkpoint_dir, where variables have no value.
  std::string restore_from;
  std::string checkpoint_name = "model.ckpt";
  double save_seconds = 600;  // 0: not by time
  int64_t save_steps = 0;     // 0: not by steps
  SaverOptions saver;
  // Interval at which a cluster that is not ready is polled.
  int64_t poll_ms = 200;
  // How long the cluster may take to be ready, at the start and at a recovery.
  int64_t ready_timeout_ms = 300'000;
  // Called in this order. They and the coordinator (null: the session's own)
  // must outlive the session.
  std::vector<SessionHook*> hooks;
  Coordinator* coordinator = nullptr;
};

struct MonitoredRunOptions {
  // Index of the fetch that is the global step. If set, the run counts as
  // training: hooks see it, and checkpoints may follow.
  std::optional<size_t> step_fetch;
};

class MonitoredSession;

// A run of a monitored session whose feeds, fetches and targets are fixed. A
// small value; copies refer to the same run. Used by the thread that uses the
// session. May outlive the session, whose runs then fail.
class MonitoredCallable {
 public:
  MonitoredCallable() = default;

  // Runs it with `feeds` in the order given to Prepare, of exactly the tensors'
  // types. After ABORTED and UNAVAILABLE creates a new session, as Start does,
  // and runs it again with the same feeds. Returns errors of hooks as
  // SessionHook has them: OUT_OF_RANGE and CANCELLED are the run's own. Returns
  // FAILED_PRECONDITION once the session is closed.
  StatusOr<std::vector<Tensor>> Run(
      const std::vector<Tensor>& feeds = {}) const;

 private:
  friend class MonitoredSession;
  struct State {
    std::vector<Output> feeds;
    std::vector<Output> fetches;
    std::vector<ControlInput> targets;
    MonitoredRunOptions options;
    MonitoredSession* owner = nullptr;  // null: destroyed
    std::optional<Callable> callable;   // of the owner's current session
  };
  std::shared_ptr<State> state_;
};

// Not thread-safe, and nor are its callables; but any thread may call
// RequestStop of the coordinator.
//
// Each session runs the initializers of the local variables, and the ops of
// graph_keys::kTableInitializers, which begin tables and iterators. The graph's
// queue runners run along with it, from the time when its variables have
// values. Their errors stop the coordinator, and runs and Close
// report them; errors that come from a lost task lead to a recovery, and then
// the queues are left open.
class MonitoredSession {
 public:
  // Adds its ops to the graph and finalizes it.
  explicit MonitoredSession(const Scope& scope,
                            const MonitoredSessionOptions& options = {});
  ~MonitoredSession();
  MonitoredSession(const MonitoredSession&) = delete;
  MonitoredSession& operator=(const MonitoredSession&) = delete;

  // Returns a run that is repeated, also after recoveries. May be called before
  // or after Start. Its first Run reports what is wrong with it.
  MonitoredCallable Prepare(const std::vector<Output>& feeds,
                            const std::vector<Output>& fetches,
                            const std::vector<ControlInput>& targets = {},
                            const MonitoredRunOptions& options = {});

  // Waits until all variables have values. The chief restores the newest
  // checkpoint if some have none, or initializes them if there is no
  // checkpoint; it immediately saves values that an earlier program left.
  // Returns DEADLINE_EXCEEDED, with the last error, after ready_timeout_ms;
  // CANCELLED if a stop is requested; FAILED_PRECONDITION once closed. OK if
  // there is a session already.
  Status Start();
  bool ShouldStop() const { return coordinator_->ShouldStop(); }
  // Writes a checkpoint now and calls the hooks' AfterSave. Requires: this is
  // the chief. Returns FAILED_PRECONDITION without a session.
  Status SaveNow();
  // Writes the last checkpoint and calls the hooks' AtEnd. If the session was
  // lost with steps that no checkpoint has, the chief creates it again, once,
  // to save them, within ready_timeout_ms if the session's operations have no
  // limit of their own; a failure to save is an error, DATA_LOSS if the values
  // are gone. Idempotent.
  Status Close();
  // Does as Close, but writes no checkpoint: after an error by which the values
  // of now should not be the newest ones that are kept.
  Status CloseWithoutSaving();

  Coordinator& coordinator() { return *coordinator_; }
  Saver* saver() { return saver_.get(); }
  // Returns the global step after the last run or the start.
  int64_t global_step() const { return global_step_; }
  // Returns how many times a session was created again.
  int64_t recoveries() const { return recoveries_; }
  // Returns the checkpoint from which the current session was restored; "" if
  // none.
  const std::string& restored_from() const { return restored_from_; }

 private:
  bool IsChief() const { return !options_.is_chief || options_.is_chief(); }
  HookContext Context(absl::Span<const Tensor> fetches = {});
  // Creates a session whose variables all have values.
  Status MakeSession();
  Status MakeReady();  // of session_, one attempt
  Status RestoreOrInitialize();
  friend class MonitoredCallable;
  using Run = MonitoredCallable::State;
  StatusOr<std::vector<Tensor>> RunOnce(Run& run,
                                        const std::vector<Tensor>& feeds);
  StatusOr<std::vector<Tensor>> RunUntilDone(Run& run,
                                             const std::vector<Tensor>& feeds);
  // Return the checkpoint that was due, of which hooks are to be told; "" if
  // none was.
  StatusOr<std::string> AfterRun(const Run& run,
                                 const std::vector<Tensor>& fetches);
  StatusOr<std::string> SaveIfDue();
  bool Saves() const { return saver_ && !options_.checkpoint_dir.empty(); }
  // Writes a checkpoint; returns its prefix, "" if nothing is saved here.
  StatusOr<std::string> Save();
  Status TellSaved(const std::string& checkpoint);  // calls AfterSave
  Status SaveEnd();
  // Creates a session with the variables as the lost one left them.
  Status HoldLastValues();
  Status EndSession();  // calls the hooks' AtEnd and closes session_
  void StartQueues();
  void ForgetCallables();  // those of session_
  // Returns the error to report for a failed run: the queue runner's, if that
  // is the cause.
  Status Reason(const Status& status) const;
  void Drop();

  const Scope scope_;
  const MonitoredSessionOptions options_;
  Coordinator own_coordinator_;
  Coordinator* const coordinator_;
  ops::Variable step_variable_;  // may be null
  Output uninitialized_;
  Operation init_;
  Operation local_init_;
  std::unique_ptr<Saver> saver_;  // null if nothing is saved or restored
  std::vector<std::shared_ptr<Run>> runs_;
  bool has_queue_runners_ = false;

  std::unique_ptr<Session> session_;  // null: lost or not created yet
  // Is cancelled if a queue runner or a hook of session_ finds that its runs
  // wait in vain; null without a session that can run.
  std::shared_ptr<CancelScope> lost_;
  QueueThreads queues_;
  int64_t global_step_ = 0;
  int64_t recoveries_ = 0;
  std::string restored_from_;
  bool restore_pending_ = false;  // begun, but not completed
  bool knows_history_ = false;
  bool was_ready_ = false;   // some session was
  int64_t saved_step_ = 0;   // of the last checkpoint written or restored
  int64_t saved_nanos_ = 0;  // its time
  bool closed_ = false;
};

// Returns true for the codes that a lost task causes.
bool IsRecoverable(const Status& status);

}  // namespace millrace::train
