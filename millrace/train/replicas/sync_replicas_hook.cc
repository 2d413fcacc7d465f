#include "millrace/train/replicas/sync_replicas_hook.h"

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "millrace/base/log.h"
#include "millrace/train/monitored_session.h"
#include "millrace/train/replicas/step_watch.h"

namespace millrace::train {
namespace {

// Of the small runs beside the steps; their servers may be gone.
constexpr int64_t kSideRunTimeoutMs = 30'000;

Tensor Count(int64_t count) {
  return Tensor::Vector<int32_t>({static_cast<int32_t>(count)});
}

int64_t NumberIn(const Tensor& tensor) {
  return static_cast<int64_t>(ScalarValue(tensor).value_or(0));
}

}  // namespace

// Its threads use callables only, whose runs fail once the session is gone.
class SyncReplicasHook::Work {
 public:
  // `counts` must outlive it.
  Work(const SyncReplicasOps& ops, const SyncReplicasHookOptions& options,
       HookContext& context, Counts& counts)
      : ops_(ops),
        options_(options),
        counts_(counts),
        session_(&context.session),
        coordinator_(&context.coordinator),
        runs_(context.runs),
        watch_({.gradients_per_step = ops.gradients_per_step,
                .report_nanos = MillisToNanos(options.report_ms),
                .too_few_nanos = MillisToNanos(options.too_few_ms)}) {
    watch_.Progress(NowNanos());
  }
  ~Work() { End(); }

  // Sets the step of this replica, and hands out the first tokens: those that
  // an earlier chief left are kept. `again`: after a session was lost, when
  // some of the tokens are with replicas.
  Status Begin(bool is_chief, bool again) {
    MR_RETURN_IF_ERROR(Prepare());
    session_ = nullptr;
    is_chief_ = is_chief;
    recovers_ = again;
    if (!is_chief) return RunSide(start_replica_).status();
    MR_RETURN_IF_ERROR(RunSide(start_chief_).status());
    if (again) return OkStatus();
    MR_ASSIGN_OR_RETURN(const Seen seen, Read());
    if (seen.left > 0) {
      MR_RETURN_IF_ERROR(
          RunSide(forget_, {Tensor::Scalar(static_cast<int32_t>(seen.left))})
              .status());
    }
    const int64_t tokens = ops_.gradients_per_step - seen.step.waiting_tokens;
    return tokens > 0 ? RunSide(give_, {Count(tokens)}).status() : OkStatus();
  }

  void Start() {
    updater_ = Thread("sync/updates", [this] { Update(); });
    watcher_ = Thread("sync/watch", [this] { Watch(); });
  }

  void End() {
    {
      MutexLock lock(mu_);
      ends_ = true;
      changed_.NotifyAll();
    }
    updates_scope_.Cancel(Cancelled("this replica leaves the training"));
    if (updater_.joinable()) updater_.Join();
    if (watcher_.joinable()) watcher_.Join();
  }

  void Progress() { steps_.fetch_add(1, std::memory_order_relaxed); }

  // Called at the end, while the updates go on. The token of the last step goes
  // back, for another replica. Tells the chief that this replica leaves; the
  // chief waits until all others have told it.
  Status Leave() {
    CountDropped();
    if (steps_.load() > 0)
      MR_RETURN_IF_ERROR(RunSide(give_, {Count(1)}).status());
    if (!IsChief()) return RunSide(leave_).status();
    const Deadline deadline = Deadline::AfterMillis(options_.leave_timeout_ms);
    for (;;) {
      MR_ASSIGN_OR_RETURN(const Seen seen, Read());
      if (seen.left + 1 >= ops_.replicas) return OkStatus();
      if (deadline.expired()) {
        MR_LOG(Warning) << "the chief leaves: " << seen.left << " of "
                        << ops_.replicas - 1
                        << " other replicas have said that they leave within "
                        << options_.leave_timeout_ms << " ms";
        return TellThatTheChiefHasLeft(seen.left);
      }
      Pause();
    }
  }

  // Called in place of all others, in a session that only saves the end: tells
  // the others that the chief leaves.
  Status LeaveAsChief() {
    MR_RETURN_IF_ERROR(Prepare());
    MR_ASSIGN_OR_RETURN(const Seen seen, Read());
    return seen.left + 1 >= ops_.replicas ? OkStatus()
                                          : TellThatTheChiefHasLeft(seen.left);
  }

 private:
  struct Seen {
    SyncStepState step;
    int64_t left = 0;
  };

  Status Prepare() {
    const auto make = [&](Callable* callable, const Operation& op,
                          const std::vector<Output>& feeds) -> Status {
      MR_ASSIGN_OR_RETURN(*callable, session_->Prepare(feeds, {}, {op}));
      return OkStatus();
    };
    MR_RETURN_IF_ERROR(make(&start_replica_, ops_.start_replica, {}));
    MR_RETURN_IF_ERROR(make(&start_chief_, ops_.start_chief, {}));
    MR_RETURN_IF_ERROR(make(&follow_, ops_.follow_step, {}));
    MR_RETURN_IF_ERROR(make(&update_, ops_.update, {}));
    MR_RETURN_IF_ERROR(make(&give_, ops_.give_tokens, {ops_.token_count}));
    MR_RETURN_IF_ERROR(make(&leave_, ops_.leave, {}));
    MR_RETURN_IF_ERROR(make(&forget_, ops_.forget, {ops_.forget_count}));
    MR_ASSIGN_OR_RETURN(read_dropped_, session_->Prepare({}, {ops_.dropped}));
    std::vector<Output> fetches = {ops_.global_step, ops_.waiting_tokens,
                                   ops_.left};
    fetches.insert(fetches.end(), ops_.gradients.begin(), ops_.gradients.end());
    MR_ASSIGN_OR_RETURN(read_, session_->Prepare({}, fetches));
    return OkStatus();
  }

  StatusOr<std::vector<Tensor>> RunSide(const Callable& callable,
                                        std::vector<Tensor> feeds = {}) {
    return callable.Run(
        std::move(feeds),
        {.options = {.timeout_ms = kSideRunTimeoutMs}, .cancel = runs_.get()});
  }

  StatusOr<Seen> Read() {
    MR_ASSIGN_OR_RETURN(const std::vector<Tensor> values, RunSide(read_));
    Seen seen;
    seen.step.global_step = NumberIn(values[0]);
    seen.step.waiting_tokens = NumberIn(values[1]);
    seen.left = NumberIn(values[2]);
    for (size_t i = 3; i < values.size(); ++i)
      seen.step.gradients.push_back(NumberIn(values[i]));
    return seen;
  }

  // By more that have left than there are others.
  Status TellThatTheChiefHasLeft(int64_t left) {
    for (; left < ops_.replicas; ++left)
      MR_RETURN_IF_ERROR(RunSide(leave_).status());
    return OkStatus();
  }

  // Returns whether this replica is the chief now, which it stays: a chief that
  // were none any more would leave the others without tokens.
  bool IsChief() {
    if (!is_chief_ && (!options_.is_chief || options_.is_chief()))
      is_chief_ = true;
    return is_chief_;
  }

  // Waits for a moment. Returns false once the work ends.
  bool Pause() {
    const Deadline deadline = Deadline::AfterMillis(options_.poll_ms);
    MutexLock lock(mu_);
    while (!ends_ && !deadline.expired()) changed_.WaitUntil(mu_, deadline);
    return !ends_;
  }

  bool Ends() {
    MutexLock lock(mu_);
    return ends_;
  }

  void Update() {
    const bool was_chief = is_chief_;
    while (!IsChief()) {
      if (!Pause()) return;
    }
    Status status;
    if (!was_chief) {
      MR_LOG(Info) << "this replica goes on as the chief of the training";
      recovers_ = true;
      status = RunSide(follow_).status();
    }
    while (status.ok() && !Ends()) {
      status = update_.Run({}, {.cancel = &updates_scope_}).status();
      if (!status.ok()) break;
      counts_.updates.fetch_add(1);
      recovers_ = false;
    }
    if (!status.ok() && !Ends()) EndRuns(status);
  }

  // A new session is made after ABORTED and UNAVAILABLE; all else ends the
  // training.
  void EndRuns(Status status) {
    if (!IsRecoverable(status)) {
      // A session that is dropped because a task was lost cancels its runs.
      const Status now = Read().status();
      if (now.ok()) {
        coordinator_->RequestStop(status);
      } else {
        status = Aborted("the session was lost: ", status.message());
      }
    }
    runs_->Cancel(std::move(status));
  }

  void CountDropped() {
    const StatusOr<std::vector<Tensor>> values = RunSide(read_dropped_);
    if (!values.ok()) return;
    const int64_t dropped = NumberIn((*values)[0]);
    const int64_t more = dropped - dropped_.exchange(dropped);
    if (more <= 0) return;
    counts_.dropped.fetch_add(more);
    MR_LOG(Info) << more
                 << " gradients of this replica came after the end of their "
                    "step and were dropped, "
                 << dropped << " in all";
  }

  void Watch() {
    int64_t seen_progress = 0;
    Deadline next_count = Deadline::AfterMillis(options_.report_ms);
    while (Pause()) {
      if (next_count.expired()) {
        CountDropped();
        next_count = Deadline::AfterMillis(options_.report_ms);
      }
      const int64_t progress = counts_.updates.load() + steps_.load();
      const int64_t now = NowNanos();
      if (progress != seen_progress) {
        seen_progress = progress;
        watch_.Progress(now);
        continue;
      }
      if (!watch_.ShouldLook(now)) continue;
      const StatusOr<Seen> seen = Read();
      if (seen.ok()) Judge(*seen, NowNanos());
    }
  }

  void Judge(const Seen& seen, int64_t now) {
    const SyncStepState& step = seen.step;
    const StepWatch::Verdict verdict = watch_.Look(step, now);
    if (!is_chief_ && seen.left >= ops_.replicas &&
        seen.step.waiting_tokens == 0) {
      // Nobody updates and hands out tokens any more: as the end of the data.
      EndRuns(OutOfRange(
          "synchronous training: ", watch_.Describe(step, ops_.variables, now),
          ", and the chief has left"));
      return;
    }
    if (!verdict.report && verdict.missing == 0) return;
    const std::string text = watch_.Describe(step, ops_.variables, now);
    if (verdict.report && is_chief_) MR_LOG(Warning) << text;
    if (verdict.missing == 0) return;
    if (options_.when_too_few == WhenTooFew::kStop && !recovers_) {
      EndRuns(DeadlineExceeded("synchronous training: ", text,
                               ", and nobody computes the missing ones"));
      return;
    }
    // A chief that was lost may have taken gradients or tokens with it.
    const bool replaces =
        options_.when_too_few == WhenTooFew::kReplace || recovers_;
    if (!is_chief_ || !replaces) return;
    MR_LOG(Warning) << text << "; " << verdict.missing
                    << " are handed out again";
    if (RunSide(give_, {Count(verdict.missing)}).ok())
      counts_.replaced.fetch_add(verdict.missing);
  }

  const SyncReplicasOps& ops_;
  const SyncReplicasHookOptions& options_;
  Counts& counts_;
  Session* session_;  // while the work begins
  Coordinator* const coordinator_;
  const std::shared_ptr<CancelScope> runs_;
  CancelScope updates_scope_;
  Callable start_replica_, start_chief_, follow_, update_, give_, read_, leave_,
      forget_, read_dropped_;
  std::atomic<bool> is_chief_{false};
  std::atomic<bool> recovers_{false};
  std::atomic<int64_t> dropped_{0};  // when it was read
  std::atomic<int64_t> steps_{0};    // of this replica
  StepWatch watch_;                  // of the watcher's thread

  Mutex mu_;  // guards `ends_`
  CondVar changed_;
  bool ends_ = false;
  Thread updater_;
  Thread watcher_;
};

SyncReplicasHook::SyncReplicasHook(const SyncReplicas& sync,
                                   const SyncReplicasHookOptions& options)
    : ops_(sync.ops()), options_(options) {}

SyncReplicasHook::~SyncReplicasHook() = default;

Status SyncReplicasHook::AfterCreate(HookContext& context) {
  if (!context.runs) {  // the session only saves the end
    work_.reset();
    return OkStatus();
  }
  if (!ops_.update) {
    return FailedPrecondition(
        "a SyncReplicasHook needs a SyncReplicas whose gradients were applied "
        "before the session was made");
  }
  work_.reset();
  auto work = std::make_unique<Work>(ops_, options_, context, counts_);
  MR_RETURN_IF_ERROR(work->Begin(context.is_chief, was_created_));
  was_created_ = true;
  work_ = std::move(work);
  work_->Start();
  return OkStatus();
}

Status SyncReplicasHook::AfterRun(HookContext& /*context*/) {
  if (work_) work_->Progress();
  return OkStatus();
}

Status SyncReplicasHook::AtEnd(HookContext& context) {
  if (!work_) {
    if (!was_created_ || !context.is_chief) return OkStatus();
    return Work(ops_, options_, context, counts_).LeaveAsChief();
  }
  const Status status = work_->Leave();
  work_->End();
  return status;
}

int64_t SyncReplicasHook::updates() const { return counts_.updates.load(); }

int64_t SyncReplicasHook::dropped_gradients() const {
  return counts_.dropped.load();
}

int64_t SyncReplicasHook::replaced_tokens() const {
  return counts_.replaced.load();
}

}  // namespace millrace::train
