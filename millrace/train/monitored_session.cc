#include "millrace/train/monitored_session.h"

#include <algorithm>
#include <utility>

#include "millrace/base/log.h"
#include "millrace/checkpoint/checkpoint_state.h"
#include "millrace/client/ops.h"
#include "millrace/train/global_step.h"

namespace millrace::train {
namespace {

constexpr double kNanosPerSecond = 1e9;

constexpr char kNotReady[] = "variables without a value: ";
constexpr char kClosed[] = "the monitored session is closed";
constexpr char kNoSession[] = "the callable has no monitored session";

// Returns the op that prepares what each session has for itself; null if there
// is nothing.
Operation LocalInitializers(const Scope& root) {
  const std::vector<Operation> tables =
      root.graph().Collection<Operation>(graph_keys::kTableInitializers);
  std::vector<ControlInput> all(tables.begin(), tables.end());
  if (!ops::LocalVariables(root).empty()) {
    all.push_back(ops::LocalVariablesInitializer(root));
  }
  return all.empty() ? Operation() : ops::Group(root, all);
}

// Returns the error of a hook's call. OUT_OF_RANGE and CANCELLED are for those
// who run the session the end of the input and a stop, which a hook's are not.
Status OfHook(absl::string_view call, const Status& status) {
  switch (status.code()) {
    case StatusCode::kOutOfRange:
    case StatusCode::kCancelled:
      return Internal("a hook's ", call, " failed: ", status.ToString());
    default:
      return status;
  }
}

}  // namespace

bool IsRecoverable(const Status& status) {
  return status.code() == StatusCode::kAborted ||
         status.code() == StatusCode::kUnavailable;
}

StatusOr<std::vector<Tensor>> MonitoredCallable::Run(
    const std::vector<Tensor>& feeds) const {
  if (!state_ || !state_->owner) return FailedPrecondition(kNoSession);
  return state_->owner->RunUntilDone(*state_, feeds);
}

MonitoredSession::MonitoredSession(const Scope& scope,
                                   const MonitoredSessionOptions& options)
    : scope_(scope),
      options_(options),
      coordinator_(options.coordinator ? options.coordinator
                                       : &own_coordinator_),
      step_variable_(GetGlobalStep(scope)) {
  const Scope root = scope_.SubScope("").WithoutControlDependencies();
  uninitialized_ = ops::ReportUninitialized(root, ops::GlobalVariables(root));
  init_ = ops::GlobalVariablesInitializer(root);
  local_init_ = LocalInitializers(root);
  if (!options_.checkpoint_dir.empty() || !options_.restore_from.empty()) {
    saver_ = std::make_unique<Saver>(root, options_.saver);
  }
  has_queue_runners_ =
      !root.graph().CollectionValues(graph_keys::kQueueRunners).empty();
  root.graph().Finalize();
}

MonitoredSession::~MonitoredSession() {
  Close().IgnoreError();
  for (const std::shared_ptr<Run>& run : runs_) run->owner = nullptr;
}

MonitoredCallable MonitoredSession::Prepare(
    const std::vector<Output>& feeds, const std::vector<Output>& fetches,
    const std::vector<ControlInput>& targets,
    const MonitoredRunOptions& options) {
  MonitoredCallable callable;
  callable.state_ = std::make_shared<Run>(Run{.feeds = feeds,
                                              .fetches = fetches,
                                              .targets = targets,
                                              .options = options,
                                              .owner = this});
  runs_.push_back(callable.state_);
  return callable;
}

void MonitoredSession::ForgetCallables() {
  for (const std::shared_ptr<Run>& run : runs_) run->callable.reset();
}

HookContext MonitoredSession::Context(absl::Span<const Tensor> fetches) {
  return {.session = *session_,
          .coordinator = *coordinator_,
          .is_chief = IsChief(),
          .global_step = global_step_,
          .fetches = fetches,
          .runs = closed_ ? nullptr : lost_};
}

Status MonitoredSession::Start() {
  if (closed_) return FailedPrecondition(kClosed);
  return session_ ? OkStatus() : MakeSession();
}

Status MonitoredSession::MakeSession() {
  const Deadline deadline = Deadline::AfterMillis(options_.ready_timeout_ms);
  for (;;) {
    SessionOptions session = options_.session;
    session.connect_timeout_ms =
        std::min(session.connect_timeout_ms, deadline.remaining_millis());
    session_ = std::make_unique<Session>(scope_, session);
    ForgetCallables();
    Status status = MakeReady();
    if (status.ok()) StartQueues();
    for (SessionHook* hook : options_.hooks) {
      if (!status.ok()) break;
      HookContext context = Context();
      status = hook->AfterCreate(context);
    }
    if (status.ok()) return status;
    Drop();
    const bool again =
        IsRecoverable(status) || status.code() == StatusCode::kDeadlineExceeded;
    if (!again) return status;
    if (deadline.expired()) {
      return DeadlineExceeded("the cluster was not ready for training within ",
                              options_.ready_timeout_ms,
                              " ms: ", status.message());
    }
    MR_LOG_EVERY_SECONDS(Info, 10) << "waiting for the cluster: " << status;
    if (coordinator_->WaitForStop(
            Deadline::Min(deadline, Deadline::AfterMillis(options_.poll_ms)))) {
      return Cancelled("a stop was requested while the session was made");
    }
  }
}

Status MonitoredSession::MakeReady() {
  restored_from_.clear();
  const Deadline deadline = Deadline::AfterMillis(options_.ready_timeout_ms);
  bool initialized = false;
  for (;;) {
    MR_ASSIGN_OR_RETURN(const std::vector<Tensor> missing,
                        session_->Run({uninitialized_}));
    // A failed restore leaves variables as they were before it, or at their
    // initial values: not ready, though all have one.
    const bool is_chief = IsChief();
    const bool begins_anew = !options_.restore_from.empty() && !initialized;
    if (missing[0].num_elements() == 0 &&
        !(is_chief && (restore_pending_ || begins_anew))) {
      break;
    }
    if (initialized) {
      return FailedPrecondition(kNotReady, missing[0].SummarizeValue(10),
                                " have no value after the initializers ran");
    }
    if (is_chief) {
      restore_pending_ = true;
      MR_RETURN_IF_ERROR(RestoreOrInitialize());
      restore_pending_ = false;
      initialized = true;
      continue;
    }
    if (deadline.expired()) {
      return DeadlineExceeded(kNotReady, missing[0].SummarizeValue(10));
    }
    if (coordinator_->WaitForStop(Deadline::AfterMillis(options_.poll_ms))) {
      return Cancelled("a stop was requested while waiting for the chief");
    }
  }
  if (local_init_) MR_RETURN_IF_ERROR(session_->RunTargets({local_init_}));
  if (step_variable_) {
    MR_ASSIGN_OR_RETURN(global_step_,
                        ReadGlobalStep(*session_, step_variable_));
  }
  // Only a checkpoint that was written or read resets the time: values that
  // outlived a session are as old as before.
  if (initialized) {
    saved_nanos_ = NowNanos();
    saved_step_ = global_step_;
  } else if (!was_ready_) {
    saved_nanos_ = NowNanos();
    saved_step_ = global_step_;
    // The age of an earlier program's newest checkpoint is unknown.
    MR_RETURN_IF_ERROR(Save().status());
  } else {
    saved_step_ = std::min(saved_step_, global_step_);
  }
  was_ready_ = true;
  return OkStatus();
}

void MonitoredSession::StartQueues() {
  lost_ = std::make_shared<CancelScope>();
  if (!has_queue_runners_) return;
  queues_ =
      StartQueueRunners(*session_, *coordinator_,
                        {.on_error = [lost = lost_](const Status& status) {
                          if (!IsRecoverable(status)) return false;
                          lost->Cancel(status);
                          return true;
                        }});
}

Status MonitoredSession::RestoreOrInitialize() {
  if (saver_) {
    std::string newest = options_.restore_from;
    if (newest.empty()) {
      MR_ASSIGN_OR_RETURN(
          newest, LatestCheckpoint(saver_->files(), options_.checkpoint_dir));
    }
    if (!newest.empty()) {
      // Initializes the variables that the checkpoints omit.
      if (!options_.saver.variables.empty() ||
          !options_.saver.partitioned.empty()) {
        MR_RETURN_IF_ERROR(session_->RunTargets({init_}));
      }
      MR_RETURN_IF_ERROR(saver_->Restore(*session_, newest));
      MR_LOG(Info) << "restored " << newest;
      restored_from_ = newest;
      return OkStatus();
    }
  }
  MR_RETURN_IF_ERROR(session_->RunTargets({init_}));
  // Gives recoveries a checkpoint, even if a task is lost at once.
  return Save().status();
}

StatusOr<std::vector<Tensor>> MonitoredSession::RunOnce(
    Run& run, const std::vector<Tensor>& feeds) {
  if (!run.callable) {
    MR_ASSIGN_OR_RETURN(run.callable,
                        session_->Prepare(run.feeds, run.fetches, run.targets));
  }
  return run.callable->Run(feeds, {.cancel = lost_.get()});
}

StatusOr<std::vector<Tensor>> MonitoredSession::RunUntilDone(
    Run& run, const std::vector<Tensor>& feeds) {
  if (closed_) return FailedPrecondition(kClosed);
  for (;;) {
    if (lost_ && lost_->cancelled()) {
      MR_LOG(Warning) << "the session is made again after " << lost_->status();
      Drop();
    }
    if (!session_) {
      MR_RETURN_IF_ERROR(MakeSession());
      ++recoveries_;
      if (ShouldStop()) return Cancelled("a stop was requested");
    }
    StatusOr<std::vector<Tensor>> fetches = RunOnce(run, feeds);
    if (fetches.ok()) {
      const StatusOr<std::string> saved = AfterRun(run, *fetches);
      if (saved.ok()) {
        MR_RETURN_IF_ERROR(TellSaved(*saved));
        return fetches;
      }
      if (!IsRecoverable(saved.status())) return saved.status();
      // The run itself has succeeded; the next one finds that the session is
      // lost.
      MR_LOG(Warning) << "the session is made again after " << saved.status();
      Drop();
      return fetches;
    }
    if (lost_ && lost_->cancelled() && !ShouldStop()) continue;
    if (!IsRecoverable(fetches.status())) return Reason(fetches.status());
    MR_LOG(Warning) << "the session is made again after " << fetches.status();
    Drop();
    if (ShouldStop()) return fetches.status();
  }
}

Status MonitoredSession::Reason(const Status& status) const {
  const bool may_follow = status.code() == StatusCode::kOutOfRange ||
                          status.code() == StatusCode::kCancelled;
  if (!has_queue_runners_ || !may_follow) return status;
  const Status reason = coordinator_->status();
  return reason.ok() ? status : reason;
}

StatusOr<std::string> MonitoredSession::AfterRun(
    const Run& run, const std::vector<Tensor>& fetches) {
  const std::optional<size_t> step_fetch = run.options.step_fetch;
  if (!step_fetch) return std::string();
  if (*step_fetch >= fetches.size()) {
    return InvalidArgument("step_fetch is ", *step_fetch, " of ",
                           fetches.size(), " fetches");
  }
  MR_ASSIGN_OR_RETURN(const double step, ScalarValue(fetches[*step_fetch]));
  global_step_ = static_cast<int64_t>(step);
  HookContext context = Context(fetches);
  for (SessionHook* hook : options_.hooks) {
    MR_RETURN_IF_ERROR(OfHook(absl::StrCat("AfterRun of step ", global_step_),
                              hook->AfterRun(context)));
  }
  return SaveIfDue();
}

StatusOr<std::string> MonitoredSession::SaveIfDue() {
  if (!Saves()) return std::string();
  if (!IsChief()) {
    knows_history_ = false;  // the chief saves, and removes checkpoints
    return std::string();
  }
  const double seconds =
      static_cast<double>(NowNanos() - saved_nanos_) / kNanosPerSecond;
  const bool due =
      (options_.save_seconds > 0 && seconds >= options_.save_seconds) ||
      (options_.save_steps > 0 &&
       global_step_ - saved_step_ >= options_.save_steps);
  if (!due) return std::string();
  StatusOr<std::string> saved = Save();
  if (!saved.ok()) {
    MR_LOG(Warning) << "the checkpoint of step " << global_step_
                    << " was not saved: " << saved.status();
  }
  return saved;
}

Status MonitoredSession::SaveNow() {
  MR_ASSIGN_OR_RETURN(const std::string checkpoint, Save());
  return TellSaved(checkpoint);
}

Status MonitoredSession::TellSaved(const std::string& checkpoint) {
  if (checkpoint.empty()) return OkStatus();
  HookContext context = Context();
  for (SessionHook* hook : options_.hooks) {
    MR_RETURN_IF_ERROR(OfHook(absl::StrCat("AfterSave of ", checkpoint),
                              hook->AfterSave(context, checkpoint)));
  }
  return OkStatus();
}

StatusOr<std::string> MonitoredSession::Save() {
  if (!Saves() || !IsChief()) return std::string();
  if (!session_) {
    return FailedPrecondition(
        "nothing to save: the monitored session is not started, lost or "
        "closed");
  }
  if (!knows_history_) {
    MR_RETURN_IF_ERROR(saver_->RecoverHistory(options_.checkpoint_dir));
    knows_history_ = true;
  }
  // The step of the variables in the checkpoint, or a little before it.
  std::optional<int64_t> step;
  if (step_variable_) {
    MR_ASSIGN_OR_RETURN(step, ReadGlobalStep(*session_, step_variable_));
  }
  MR_ASSIGN_OR_RETURN(
      const std::string checkpoint,
      saver_->Save(*session_,
                   JoinPath(options_.checkpoint_dir, options_.checkpoint_name),
                   {.step = step}));
  saved_nanos_ = NowNanos();
  saved_step_ = step.value_or(global_step_);
  return checkpoint;
}

void MonitoredSession::Drop() {
  queues_.Abandon();
  lost_.reset();
  // First, so that no callable asks a master that may be lost to release it.
  if (session_) session_->Close().IgnoreError();
  ForgetCallables();
  session_.reset();
}

Status MonitoredSession::SaveEnd() {
  if (session_) {
    const StatusOr<std::string> saved = Save();
    if (saved.ok()) return TellSaved(*saved);
    if (!IsRecoverable(saved.status())) return saved.status();
    MR_LOG(Warning) << "the session is made again to save the end, after "
                    << saved.status();
    Drop();
  }
  Status status = HoldLastValues();
  if (status.ok()) return SaveNow();
  Drop();
  return Prefix(
      absl::StrCat("the end of the training, step ", global_step_,
                   ", was not saved (the newest checkpoint known is of "
                   "step ",
                   saved_step_, "): "),
      status);
}

Status MonitoredSession::HoldLastValues() {
  SessionOptions session = options_.session;
  session.connect_timeout_ms = 0;
  if (session.config.operation_timeout_ms <= 0) {
    session.config.operation_timeout_ms = options_.ready_timeout_ms;
  }
  session_ = std::make_unique<Session>(scope_, session);
  MR_ASSIGN_OR_RETURN(const std::vector<Tensor> missing,
                      session_->Run({uninitialized_}));
  if (restore_pending_ || missing[0].num_elements() > 0) {
    return DataLoss("the variables' values were lost with the session");
  }
  HookContext context = Context();
  for (SessionHook* hook : options_.hooks) {
    MR_RETURN_IF_ERROR(hook->AfterCreate(context));
  }
  return OkStatus();
}

Status MonitoredSession::Close() {
  if (closed_) return OkStatus();
  closed_ = true;
  coordinator_->RequestStop();
  Status status = OkStatus();
  if (Saves() && saved_step_ != global_step_ && IsChief()) status = SaveEnd();
  UpdateStatus(status, EndSession());
  return status;
}

Status MonitoredSession::CloseWithoutSaving() {
  if (closed_) return OkStatus();
  closed_ = true;
  coordinator_->RequestStop();
  return EndSession();
}

Status MonitoredSession::EndSession() {
  if (!session_) return OkStatus();
  Status status = OkStatus();
  HookContext context = Context();
  for (SessionHook* hook : options_.hooks)
    UpdateStatus(status, hook->AtEnd(context));
  if (has_queue_runners_) {
    queues_.Stop();
    UpdateStatus(status, coordinator_->status());
  }
  ForgetCallables();
  UpdateStatus(status, session_->Close());
  session_.reset();
  return status;
}

}  // namespace millrace::train
