#include "millrace/train/estimator/train_and_evaluate.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "millrace/base/log.h"
#include "millrace/train/estimator/checkpoint_evaluator.h"
#include "millrace/train/estimator/end_of_training.h"
#include "millrace/train/estimator/pause.h"
#include "millrace/train/estimator/task_server.h"

namespace millrace::train {
namespace {

constexpr int kFailedCode = 1;
constexpr int kRetryCode = 138;
constexpr double kDelaySecondsPerWorker = 5;
constexpr double kNextLookSeconds = 1;
constexpr double kRoleSecondsPerNano = 1e-9;

using Evaluated = std::optional<EvaluateResult>;

Status StopWasRequested() {
  return Cancelled("a stop was requested, and the training is not over");
}

Status CheckSpecs(const TrainSpec& train, const EvalSpec& eval) {
  if (!train.input || !eval.input) {
    return InvalidArgument(train.input ? "EvalSpec" : "TrainSpec",
                           " has no input, expected an input function");
  }
  const auto positive = [](const char* name,
                           const std::optional<int64_t>& value) {
    if (!value || *value > 0) return OkStatus();
    return InvalidArgument(name, " is ", *value, ", expected more than 0");
  };
  const auto not_negative = [](const char* name, double value) {
    if (value >= 0 && std::isfinite(value)) return OkStatus();
    return InvalidArgument(name, " is ", value,
                           ", expected 0 or more, and finite");
  };
  MR_RETURN_IF_ERROR(positive("TrainSpec's max_steps", train.max_steps));
  MR_RETURN_IF_ERROR(positive("EvalSpec's steps", eval.steps));
  MR_RETURN_IF_ERROR(
      not_negative("EvalSpec's start_delay_secs", eval.start_delay_secs));
  return not_negative("EvalSpec's throttle_secs", eval.throttle_secs);
}

// Does the part of one task.
class Role {
 public:
  Role(Estimator& estimator, const TrainSpec& train, const EvalSpec& eval,
       const TrainAndEvaluateOptions& options)
      : estimator_(estimator),
        config_(estimator.config()),
        train_(train),
        eval_(eval),
        options_(options),
        evaluator_(&estimator, eval) {}

  StatusOr<Evaluated> Run() {
    const std::string& job = config_.place.task.job;
    if (job == kEvaluatorJob) return Evaluate();
    if (!config_.place.has_cluster()) return TrainHere();
    if (job == kPsJob) return Serve();
    if (job == kChiefJob || job == kMasterJob || job == kWorkerJob)
      return TrainInCluster();
    return InvalidArgument(
        "a task of type \"", job,
        "\" has nothing to do in a training, expected one of the types chief, "
        "evaluator, master, ps and worker");
  }

 private:
  Status Train(std::vector<SessionHook*> more) {
    std::vector<SessionHook*> hooks = train_.hooks;
    hooks.insert(hooks.end(), more.begin(), more.end());
    MR_RETURN_IF_ERROR(estimator_
                           .Train(train_.input, {.max_steps = train_.max_steps,
                                                 .hooks = std::move(hooks)})
                           .status());
    return config_.stop_requested() ? StopWasRequested() : OkStatus();
  }

  // Trains, and evaluates what is saved, also the last of it.
  Status TrainWithEvaluations() {
    EvaluateAfterSaveHook hook(&evaluator_, eval_.throttle_secs);
    MR_RETURN_IF_ERROR(Train({&hook}));
    return evaluator_.EvaluateNewest().status();
  }

  StatusOr<Evaluated> TrainHere() {
    MR_RETURN_IF_ERROR(TrainWithEvaluations());
    return evaluator_.last();
  }

  Status StartServer() {
    if (options_.running) return OkStatus();
    MR_ASSIGN_OR_RETURN(server_, StartTaskServer(config_, options_.server));
    return OkStatus();
  }

  // Lets the chief and the workers before this one train alone, which is
  // steadier in the beginning. Returns whether a stop was requested meanwhile.
  bool WaitBeforeTraining() const {
    if (config_.place.task.job != kWorkerJob) return false;
    const double delay =
        std::min(config_.max_worker_delay_secs,
                 (config_.place.task.index + 1) * kDelaySecondsPerWorker);
    return delay > 0 && Pause(config_, delay, "its turn to begin to train");
  }

  StatusOr<Evaluated> TrainInCluster() {
    const bool is_chief = config_.place.is_chief;
    const EndMarker marker(config_);
    if (is_chief) MR_RETURN_IF_ERROR(marker.Remove());
    MR_RETURN_IF_ERROR(StartServer());
    if (WaitBeforeTraining()) return StopWasRequested();
    MR_RETURN_IF_ERROR(config_.place.task.job == kMasterJob
                           ? TrainWithEvaluations()
                           : Train({}));
    if (is_chief) {
      MR_ASSIGN_OR_RETURN(const std::string newest,
                          estimator_.NewestCheckpoint());
      MR_RETURN_IF_ERROR(marker.Write(newest));
    }
    ReportEnd(config_);
    return evaluator_.last();
  }

  StatusOr<Evaluated> Serve() {
    MR_RETURN_IF_ERROR(StartServer());
    MR_RETURN_IF_ERROR(AwaitEnd(config_));
    return Evaluated();
  }

  // Returns whether the checkpoint of the last step was evaluated.
  bool HasLastStep() const {
    return evaluator_.last() && train_.max_steps &&
           evaluator_.last()->global_step >= *train_.max_steps;
  }

  StatusOr<Evaluated> Evaluate() {
    if (config_.place.task.index > 0) {
      return InvalidArgument("there is one evaluator, of index 0, this is ",
                             config_.place.task.index);
    }
    const EndMarker marker(config_);
    if (Pause(config_, eval_.start_delay_secs, "evaluations to begin"))
      return StopWasRequested();
    while (!HasLastStep()) {
      const int64_t begun = NowNanos();
      // Asked first: the checkpoint that is found then is the last one.
      const bool is_over = marker.IsThere();
      MR_ASSIGN_OR_RETURN(const bool is_new, evaluator_.EvaluateNewest());
      if (is_over || HasLastStep()) break;
      const double spent =
          static_cast<double>(NowNanos() - begun) * kRoleSecondsPerNano;
      const double rest =
          std::max(eval_.throttle_secs - spent, is_new ? 0 : kNextLookSeconds);
      if (Pause(config_, rest,
                absl::StrCat("a new checkpoint in ", config_.model_dir))) {
        return StopWasRequested();
      }
    }
    MR_LOG(Info) << "evaluations are over";
    return evaluator_.last();
  }

  Estimator& estimator_;
  const RunConfig& config_;
  const TrainSpec& train_;
  const EvalSpec& eval_;
  const TrainAndEvaluateOptions& options_;
  std::unique_ptr<Server> server_;  // lives as long as what runs on it
  CheckpointEvaluator evaluator_;
};

}  // namespace

StatusOr<Evaluated> TrainAndEvaluate(Estimator& estimator,
                                     const TrainSpec& train_spec,
                                     const EvalSpec& eval_spec,
                                     const TrainAndEvaluateOptions& options) {
  MR_RETURN_IF_ERROR(estimator.config().Check());
  MR_RETURN_IF_ERROR(CheckSpecs(train_spec, eval_spec));
  return Role(estimator, train_spec, eval_spec, options).Run();
}

int ExitCodeFor(const Status& status) {
  switch (status.code()) {
    case StatusCode::kOk:
      return 0;
    case StatusCode::kAborted:
    case StatusCode::kUnavailable:
    case StatusCode::kDeadlineExceeded:
      return kRetryCode;
    default:
      return kFailedCode;
  }
}

}  // namespace millrace::train
