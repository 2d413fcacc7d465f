#include "millrace/train/replicas/async_replicas_hook.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "millrace/base/clock.h"
#include "millrace/base/log.h"
#include "millrace/train/monitored_session.h"
#include "millrace/train/replicas/pace_watch.h"

namespace millrace::train {
namespace {

constexpr int64_t kNanosPerMs = 1'000'000;
// Of the small runs beside the steps; their servers may be gone.
constexpr int64_t kLookTimeoutMs = 30'000;

Tensor StateNumber(ReplicaState state) {
  return Tensor::Scalar(static_cast<int64_t>(state));
}

// When a wait looks again and when it says for whom it waits: soon at first,
// then ever more rarely.
class Patience {
 public:
  explicit Patience(const AsyncReplicasHookOptions& options)
      : most_poll_ms_(options.most_poll_ms),
        poll_ms_(options.least_poll_ms),
        report_ms_(options.report_ms) {}

  Deadline NextLook() {
    const Deadline next = Deadline::AfterMillis(poll_ms_);
    poll_ms_ = std::min(2 * poll_ms_ + 1, most_poll_ms_);
    return next;
  }
  int64_t waited_nanos() const { return NowNanos() - begun_; }
  // Returns whether it is time to report; then the next time is twice as far.
  bool Reports() {
    if (waited_nanos() < MillisToNanos(report_ms_)) return false;
    report_ms_ = 2 * report_ms_ + 1;
    return true;
  }

 private:
  const int64_t most_poll_ms_;
  const int64_t begun_ = NowNanos();
  int64_t poll_ms_;
  int64_t report_ms_;
};

}  // namespace

struct AsyncReplicasHook::Shown {
  Mutex mu;                // guards all below
  ReplicaRecords records;  // the newest
  int64_t waited_nanos = 0;
};

// Its callables' runs fail once the session is gone.
class AsyncReplicasHook::Work {
 public:
  Work(const AsyncReplicasHook& hook, const HookContext& context)
      : ops_(hook.async_.ops()),
        train_(hook.async_.options()),
        options_(hook.options_),
        shown_(*hook.shown_),
        coordinator_(context.coordinator),
        runs_(context.runs),
        watch_({.replica = train_.replica,
                .max_ahead = train_.max_ahead.value_or(0),
                .too_long_nanos = MillisToNanos(options_.too_long_ms)}) {}

  Status Begin(Session& session) {
    MR_ASSIGN_OR_RETURN(look_,
                        session.Prepare({}, {ops_.global_step, ops_.records}));
    MR_ASSIGN_OR_RETURN(join_, session.Prepare({}, {ops_.join}));
    MR_ASSIGN_OR_RETURN(set_state_,
                        session.Prepare({ops_.fed_replica, ops_.fed_state}, {},
                                        {ops_.set_state}));
    if (train_.replica != 0 && train_.warm_up_steps > 0)
      MR_RETURN_IF_ERROR(WaitForWarmUp());
    return Join();
  }

  // Called after each step: waits for the others if this replica is ahead.
  Status AfterStep() {
    if (!train_.max_ahead) return OkStatus();
    ++clock_;
    if (clock_ <= up_to_ && !next_look_.expired()) return OkStatus();
    const Patience patience(options_);
    const Status status = WaitForOthers(patience);
    MutexLock lock(shown_.mu);
    shown_.waited_nanos += patience.waited_nanos();
    return status;
  }

  StatusOr<ReplicaRecords> Look() {
    MR_ASSIGN_OR_RETURN(const std::vector<Tensor> values, RunSide(look_));
    MR_ASSIGN_OR_RETURN(ReplicaRecords records,
                        ParseReplicaRecords(values[0], values[1]));
    MutexLock lock(shown_.mu);
    shown_.records = records;
    return records;
  }

 private:
  StatusOr<std::vector<Tensor>> RunSide(const Callable& callable,
                                        std::vector<Tensor> feeds = {}) {
    return callable.Run(
        std::move(feeds),
        {.options = {.timeout_ms = kLookTimeoutMs}, .cancel = runs_.get()});
  }

  Status Join() {
    MR_ASSIGN_OR_RETURN(const std::vector<Tensor> values, RunSide(join_));
    clock_ = up_to_ = values[0].scalar<int64_t>();
    // The first step goes without a look: nobody is slower.
    next_look_ = NextOwnLook();
    return OkStatus();
  }

  // A replica that others took as gone finds that out in time.
  Deadline NextOwnLook() const {
    return Deadline::AfterMillis(options_.too_long_ms / 2);
  }

  // Of a run beside the steps: its server does not answer for a while.
  static bool IsSilence(const Status& status) {
    return status.code() == StatusCode::kDeadlineExceeded;
  }

  std::string Self() const {
    return absl::StrCat("replica ", train_.replica, " of '", train_.name, "'");
  }

  Status WaitForOthers(Patience patience) {
    for (;;) {
      const StatusOr<ReplicaRecords> records = Look();
      StatusOr<bool> may_go_on = false;
      if (records.ok()) {
        may_go_on = MayGoOn(*records, &patience);
      } else if (!IsSilence(records.status())) {
        return records.status();
      } else if (patience.Reports()) {
        MR_LOG(Warning) << Self()
                        << " waits for the server of the global step, which "
                           "has been silent for "
                        << patience.waited_nanos() / (1000 * kNanosPerMs)
                        << " s";
      }
      MR_RETURN_IF_ERROR(may_go_on.status());
      if (*may_go_on) return OkStatus();
      if (coordinator_.WaitForStop(patience.NextLook())) return OkStatus();
    }
  }

  StatusOr<bool> MayGoOn(const ReplicaRecords& records, Patience* patience) {
    const ReplicaRecord& own =
        records.replicas[static_cast<size_t>(train_.replica)];
    if (own.state != ReplicaState::kTrains) {
      MR_LOG(Info) << Self() << " was taken as gone and joins again";
      const Status joined = Join();
      if (IsSilence(joined)) return false;  // tried again after the next look
      MR_RETURN_IF_ERROR(joined);
      return true;
    }
    const int64_t now = NowNanos();
    const PaceWatch::Verdict verdict =
        watch_.Look(records, now, now - patience->waited_nanos());
    clock_ = own.clock;
    up_to_ = verdict.up_to;
    next_look_ = NextOwnLook();
    if (verdict.slowest.empty()) return true;
    const auto text = [&] {
      return absl::StrCat(Self(), " has waited for ",
                          patience->waited_nanos() / (1000 * kNanosPerMs),
                          " s for ", watch_.Describe(records, verdict));
    };
    if (patience->Reports()) MR_LOG(Warning) << text();
    if (verdict.stuck.empty() || options_.when_stuck == WhenStuck::kWait)
      return false;
    const std::string stuck =
        absl::StrCat(text(), "; no progress for ", options_.too_long_ms, " ms");
    if (options_.when_stuck == WhenStuck::kStop) {
      const Status status = DeadlineExceeded("asynchronous training: ", stuck);
      coordinator_.RequestStop(status);
      return status;
    }
    MR_LOG(Warning) << stuck << ": the training goes on without";
    for (const int64_t replica : verdict.stuck) {
      const Status set = RunSide(set_state_, {Tensor::Scalar(replica),
                                              StateNumber(ReplicaState::kGone)})
                             .status();
      if (IsSilence(set)) return false;  // tried again after the next look
      MR_RETURN_IF_ERROR(set);
    }
    return false;
  }

  Status WaitForWarmUp() {
    Patience patience(options_);
    ReplicaRecords last;
    int64_t since = NowNanos();
    for (;;) {
      MR_ASSIGN_OR_RETURN(const ReplicaRecords records, Look());
      const int64_t step = records.global_step;
      const ReplicaRecord& first = records.replicas[0];
      if (step >= train_.warm_up_steps) return OkStatus();
      const std::string text =
          absl::StrCat(Self(), " waits for the warm-up: replica 0 is at step ",
                       step, " of ", train_.warm_up_steps);
      if (first.state == ReplicaState::kEnded) {
        MR_LOG(Warning) << text << " and has ended";
        return OkStatus();
      }
      if (last.replicas.empty() || step != last.global_step ||
          !(first == last.replicas[0])) {
        since = NowNanos();
        last = records;
      }
      if (patience.Reports()) MR_LOG(Warning) << text;
      if (NowNanos() - since >= MillisToNanos(options_.too_long_ms) &&
          options_.when_stuck != WhenStuck::kWait) {
        const std::string stuck = absl::StrCat(text, "; no progress for ",
                                               options_.too_long_ms, " ms");
        if (options_.when_stuck == WhenStuck::kStop)
          return FailedPrecondition("asynchronous training: ", stuck);
        MR_LOG(Warning) << stuck << ": the training goes on without";
        return OkStatus();
      }
      if (coordinator_.WaitForStop(patience.NextLook()))
        return Cancelled("a stop was requested: ", text);
    }
  }

  const AsyncReplicasOps& ops_;
  const AsyncReplicasOptions& train_;
  const AsyncReplicasHookOptions& options_;
  Shown& shown_;
  Coordinator& coordinator_;
  const std::shared_ptr<CancelScope> runs_;
  Callable look_, join_, set_state_;
  PaceWatch watch_;
  // Steps that begin at a clock up to `up_to_` need no look at the others.
  int64_t clock_ = 0;
  int64_t up_to_ = 0;
  Deadline next_look_;
};

AsyncReplicasHook::AsyncReplicasHook(const AsyncReplicas& async,
                                     const AsyncReplicasHookOptions& options)
    : async_(async), options_(options), shown_(std::make_unique<Shown>()) {}

AsyncReplicasHook::~AsyncReplicasHook() = default;

Status AsyncReplicasHook::AfterCreate(HookContext& context) {
  if (!context.runs) return OkStatus();  // the session only saves the end
  if (!async_.ops().set_state) {
    return FailedPrecondition(
        "an AsyncReplicasHook needs an AsyncReplicas whose gradients were "
        "applied before the session was made");
  }
  work_.reset();
  auto work = std::make_unique<Work>(*this, context);
  MR_RETURN_IF_ERROR(work->Begin(context.session));
  work_ = std::move(work);
  if (next_log_.infinite() && options_.log_every_ms > 0)
    next_log_ = Deadline::AfterMillis(options_.log_every_ms);
  return OkStatus();
}

Status AsyncReplicasHook::AfterRun(HookContext& context) {
  if (!work_) return OkStatus();
  MR_RETURN_IF_ERROR(work_->AfterStep());
  if (!next_log_.expired()) return OkStatus();
  next_log_ = Deadline::AfterMillis(options_.log_every_ms);
  const StatusOr<ReplicaRecords> records = work_->Look();
  if (records.ok()) return Show(*records, context);
  MR_LOG(Warning) << "the staleness of gradients is not known now: "
                  << records.status();
  return OkStatus();
}

Status AsyncReplicasHook::Show(const ReplicaRecords& records,
                               const HookContext& context) {
  const AsyncReplicasOptions& train = async_.options();
  const StalenessSummary summary = Summarize(logged_, records);
  logged_ = records;
  MR_LOG(Info) << "'" << train.name << "' at step " << records.global_step
               << ": " << ToString(summary);
  if (options_.writer == nullptr || !context.is_chief) return OkStatus();
  int64_t dropped = 0;
  for (const ReplicaRecord& record : records.replicas)
    dropped += record.dropped;
  for (const auto& [name, value] :
       {std::pair("staleness", summary.mean),
        std::pair("max_staleness", static_cast<double>(summary.greatest)),
        std::pair("dropped", static_cast<double>(dropped))}) {
    MR_RETURN_IF_ERROR(options_.writer->AddScalar(
        records.global_step, absl::StrCat(train.name, "/", name),
        static_cast<float>(value)));
  }
  return options_.writer->Flush();
}

Status AsyncReplicasHook::AtEnd(HookContext& context) {
  if (!work_) return OkStatus();
  work_.reset();
  const AsyncReplicasOps& ops = async_.ops();
  const RunContext limited = {.options = {.timeout_ms = kLookTimeoutMs}};
  const StatusOr<std::vector<Tensor>> told = context.session.Run(
      {{ops.fed_replica, Tensor::Scalar(async_.options().replica)},
       {ops.fed_state, StateNumber(ReplicaState::kEnded)}},
      {}, {ops.set_state}, limited);
  const StatusOr<std::vector<Tensor>> values =
      told.ok()
          ? context.session.Run({}, {ops.global_step, ops.records}, {}, limited)
          : told;
  if (!values.ok()) {
    // The others find out by themselves.
    MR_LOG(Warning) << "replica " << async_.options().replica
                    << " could not tell the others that it ends: "
                    << values.status();
    return OkStatus();
  }
  MR_ASSIGN_OR_RETURN(const ReplicaRecords records,
                      ParseReplicaRecords((*values)[0], (*values)[1]));
  {
    MutexLock lock(shown_->mu);
    shown_->records = records;
  }
  return Show(records, context);
}

ReplicaRecords AsyncReplicasHook::records() const {
  MutexLock lock(shown_->mu);
  return shown_->records;
}

int64_t AsyncReplicasHook::waited_nanos() const {
  MutexLock lock(shown_->mu);
  return shown_->waited_nanos;
}

}  // namespace millrace::train
