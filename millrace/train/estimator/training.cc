#include "millrace/train/estimator/training.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_format.h"
#include "millrace/base/log.h"
#include "millrace/client/ops.h"
#include "millrace/graph/graph_proto.h"
#include "millrace/train/estimator/stop_link.h"

namespace millrace::train {
namespace {

constexpr char kLossTag[] = "loss";
constexpr double kSecondsPerNano = 1e-9;
// The fetches of a training step.
constexpr size_t kStepFetch = 0;
constexpr size_t kLossFetch = 1;
constexpr size_t kSummaryFetch = 2;

// Returns the op that gives all summaries of the graph and that of the loss,
// unless there is one.
Output MergedSummaries(const ModelGraph& model) {
  const Scope& s = model.scope;
  std::vector<Output> summaries =
      model.root.graph().Collection<Output>(graph_keys::kSummaries);
  const bool has_loss =
      std::any_of(summaries.begin(), summaries.end(),
                  [](const Output& o) { return o.op().name() == kLossTag; });
  if (!has_loss) {
    summaries.push_back(
        ops::ScalarSummary(s.WithOpName(kLossTag), kLossTag, model.spec.loss));
  }
  return ops::MergeSummary(s.WithOpName("merged_summaries"), summaries);
}

// Writes what happens to the session into the events.
class EventsHook final : public SessionHook {
 public:
  explicit EventsHook(EventWriter* events) : events_(events) {}
  Status AfterCreate(HookContext& context) override {
    return events_->AddSessionLog(context.global_step,
                                  SessionLogStatus::kStart);
  }
  Status AfterSave(HookContext& context,
                   const std::string& checkpoint) override {
    MR_RETURN_IF_ERROR(events_->AddSessionLog(
        context.global_step, SessionLogStatus::kCheckpoint, checkpoint));
    return events_->Flush();
  }
  Status AtEnd(HookContext& /*context*/) override { return events_->Flush(); }

 private:
  EventWriter* const events_;
};

// What a training tells of its steps: lines of the log, and events.
class StepReport {
 public:
  StepReport(const RunConfig& config, EventWriter* events)
      : log_steps_(config.log_step_count_steps),
        summary_steps_(events ? config.save_summary_steps : 0),
        events_(events) {}

  // Returns whether the next run, after `step`, is to fetch the summaries.
  bool WantsSummaries(int64_t step) const {
    return summary_steps_ > 0 && IsDue(step + 1, summarized_, summary_steps_);
  }

  Status Add(int64_t step, absl::Span<const Tensor> fetches) {
    if (fetches.size() > kSummaryFetch) {
      summarized_ = step;
      MR_RETURN_IF_ERROR(events_->AddSummaryBytes(
          step, fetches[kSummaryFetch].scalar<StringElement>().view()));
    }
    if (log_steps_ == 0 || !IsDue(step, logged_, log_steps_)) return OkStatus();
    const int64_t now = NowNanos();
    std::string line =
        absl::StrCat("global step ", step,
                     ": loss = ", fetches[kLossFetch].SummarizeValue(1));
    if (logged_ && step > *logged_ && now > logged_nanos_) {
      const double rate =
          static_cast<double>(step - *logged_) /
          (static_cast<double>(now - logged_nanos_) * kSecondsPerNano);
      absl::StrAppendFormat(&line, ", %.4g steps/s", rate);
      if (events_) {
        MR_RETURN_IF_ERROR(events_->AddScalar(step, "global_step/sec",
                                              static_cast<float>(rate)));
      }
    }
    MR_LOG(Info) << line;
    logged_ = step;
    logged_nanos_ = now;
    return OkStatus();
  }

 private:
  // After a recovery the step may be smaller than before.
  static bool IsDue(int64_t step, const std::optional<int64_t>& last,
                    int64_t every) {
    return !last || step < *last || step >= *last + every;
  }

  const int64_t log_steps_;
  const int64_t summary_steps_;
  EventWriter* const events_;
  std::optional<int64_t> summarized_;
  std::optional<int64_t> logged_;
  int64_t logged_nanos_ = 0;
};

// Lives for one training.
class TrainingLoop {
 public:
  TrainingLoop(const ModelGraph& model, const RunConfig& config,
               const TrainingOptions& options)
      : model_(model),
        config_(config),
        options_(options),
        nan_(kLossFetch, kLossTag),
        events_hook_(options.events),
        report_(config, options.events) {
    if (options.steps) after_.emplace(*options.steps);
    if (options.max_steps) at_.emplace(*options.max_steps);
  }

  StatusOr<TrainResult> Run() {
    const Output step = model_.global_step.Read(
        model_.scope.WithControlDependencies({model_.spec.train_op}));
    const Output summaries = options_.events && config_.save_summary_steps > 0
                                 ? MergedSummaries(model_)
                                 : Output();
    MR_RETURN_IF_ERROR(model_.root.status());
    if (options_.events) {
      MR_RETURN_IF_ERROR(options_.events->AddGraph(
          SerializeGraphDef(model_.root.graph().Export())));
    }
    MonitoredSession session(model_.root, Options());
    std::vector<Output> fetches = {step, model_.spec.loss};
    plain_ = session.Prepare({}, fetches, {}, {.step_fetch = kStepFetch});
    if (summaries) {
      fetches.push_back(summaries);
      with_summaries_ =
          session.Prepare({}, fetches, {}, {.step_fetch = kStepFetch});
    }
    const StopLink link(config_.stop, session.coordinator());
    Status status = session.Start();
    if (status.ok()) status = Steps(session);
    UpdateStatus(status,
                 status.ok() ? session.Close() : session.CloseWithoutSaving());
    MR_RETURN_IF_ERROR(status);
    result_.global_step = session.global_step();
    if (result_.runs == 0) {
      MR_LOG(Warning) << "the training made no steps: the input may be empty";
    }
    return result_;
  }

 private:
  MonitoredSessionOptions Options() {
    const bool is_chief = config_.place.is_chief;
    MonitoredSessionOptions options =
        SessionOf(config_, model_.spec, config_.place.master);
    options.is_chief = [is_chief] { return is_chief; };
    options.checkpoint_dir = config_.model_dir;
    options.save_seconds = config_.checkpoint_seconds();
    options.save_steps = config_.checkpoint_steps();
    // What is not a number is not saved.
    options.hooks = {&nan_};
    const auto add = [&](const std::vector<SessionHook*>& hooks) {
      options.hooks.insert(options.hooks.end(), hooks.begin(), hooks.end());
    };
    if (options_.events) add({&events_hook_});
    add(options_.hooks);
    add(PointersTo(model_.spec.training_hooks));
    if (is_chief) add(PointersTo(model_.spec.training_chief_hooks));
    if (after_) add({&*after_});
    if (at_) add({&*at_});
    return options;
  }

  Status Steps(MonitoredSession& session) {
    while (!session.ShouldStop()) {
      const bool all = report_.WantsSummaries(session.global_step());
      const StatusOr<std::vector<Tensor>> fetches =
          (all ? with_summaries_ : plain_).Run();
      if (!fetches.ok()) {
        const bool is_end =
            fetches.status().code() == StatusCode::kOutOfRange ||
            (fetches.status().code() == StatusCode::kCancelled &&
             session.ShouldStop());
        return is_end ? OkStatus() : fetches.status();
      }
      ++result_.runs;
      MR_ASSIGN_OR_RETURN(result_.loss, ScalarValue((*fetches)[kLossFetch]));
      MR_RETURN_IF_ERROR(report_.Add(session.global_step(), *fetches));
    }
    return OkStatus();
  }

  const ModelGraph& model_;
  const RunConfig& config_;
  const TrainingOptions& options_;
  NanHook nan_;
  EventsHook events_hook_;
  std::optional<StopAfterStepsHook> after_;
  std::optional<StopAtStepHook> at_;
  StepReport report_;
  MonitoredCallable plain_;
  MonitoredCallable with_summaries_;
  TrainResult result_;
};

}  // namespace

StatusOr<TrainResult> RunTraining(const ModelGraph& model,
                                  const RunConfig& config,
                                  const TrainingOptions& options) {
  return TrainingLoop(model, config, options).Run();
}

}  // namespace millrace::train
