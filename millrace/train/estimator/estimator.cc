#include "millrace/train/estimator/estimator.h"

#include <utility>

#include "absl/strings/str_join.h"
#include "millrace/base/log.h"
#include "millrace/checkpoint/checkpoint_reader.h"
#include "millrace/checkpoint/checkpoint_state.h"
#include "millrace/train/estimator/evaluation.h"
#include "millrace/train/estimator/model_graph.h"
#include "millrace/train/estimator/stop_link.h"
#include "millrace/train/estimator/training.h"

namespace millrace::train {
namespace {

Status CheckPositive(const char* name, const std::optional<int64_t>& value) {
  if (!value || *value > 0) return OkStatus();
  return InvalidArgument(name, " is ", *value, ", expected more than 0");
}

Status CheckSteps(const TrainOptions& options) {
  if (options.steps && options.max_steps) {
    return InvalidArgument("steps and max_steps are both set (", *options.steps,
                           " and ", *options.max_steps,
                           "), expected one of them");
  }
  MR_RETURN_IF_ERROR(CheckPositive("steps", options.steps));
  return CheckPositive("max_steps", options.max_steps);
}

std::string TextOf(const EvaluateResult& result) {
  return absl::StrJoin(result.metrics, ", ",
                       [](std::string* out, const auto& entry) {
                         absl::StrAppend(out, entry.first, " = ",
                                         entry.second.SummarizeValue(3));
                       });
}

// Returns those of the predictions that are wanted.
StatusOr<NamedOutputs> Wanted(const NamedOutputs& predictions,
                              const std::vector<std::string>& keys) {
  if (keys.empty()) return predictions;
  NamedOutputs wanted;
  for (const std::string& key : keys) {
    const auto found = predictions.find(key);
    if (found == predictions.end()) {
      return InvalidArgument(
          "no prediction '", key, "', expected one of ",
          absl::StrJoin(predictions, ", ",
                        [](std::string* out, const auto& entry) {
                          absl::StrAppend(out, "'", entry.first, "'");
                        }));
    }
    wanted.insert(*found);
  }
  return wanted;
}

// Runs predictions until the input, the number of batches, `each` or a stop
// ends them.
Status RunPredictions(const ModelGraph& model, const RunConfig& config,
                      const PredictOptions& options,
                      const PredictionFunction& each) {
  MR_ASSIGN_OR_RETURN(const NamedOutputs wanted,
                      Wanted(model.spec.predictions, options.keys));
  std::vector<Output> fetches = {model.global_step};
  for (const auto& [name, output] : wanted) fetches.push_back(output);
  MonitoredSessionOptions monitored =
      SessionOf(config, model.spec, /*target=*/"");
  monitored.restore_from = options.checkpoint;
  monitored.hooks = options.hooks;
  for (SessionHook* hook : PointersTo(model.spec.prediction_hooks))
    monitored.hooks.push_back(hook);
  MonitoredSession session(model.root, monitored);
  const MonitoredCallable run =
      session.Prepare({}, fetches, {}, {.step_fetch = 0});
  const StopLink link(config.stop, session.coordinator());
  MR_RETURN_IF_ERROR(session.Start());
  for (int64_t batches = 0; !options.batches || batches < *options.batches;
       ++batches) {
    if (session.ShouldStop()) break;
    const StatusOr<std::vector<Tensor>> values = run.Run();
    if (values.status().code() == StatusCode::kOutOfRange) break;
    MR_RETURN_IF_ERROR(values.status());
    NamedTensors batch;
    size_t i = 1;
    for (const auto& [name, output] : wanted) batch[name] = (*values)[i++];
    const Status taken = each(batch);
    if (taken.code() == StatusCode::kOutOfRange) break;
    MR_RETURN_IF_ERROR(taken);
  }
  if (config.stop_requested()) return Cancelled("a stop was requested");
  return session.Close();
}

}  // namespace

Estimator::Estimator(ModelFunction model, RunConfig config)
    : model_(std::move(model)), config_(std::move(config)) {}

StatusOr<std::string> Estimator::NewestCheckpoint() const {
  return LatestCheckpoint(config_.file_system(), config_.model_dir);
}

std::string Estimator::EvalDir(const std::string& name) const {
  return JoinPath(config_.model_dir,
                  name.empty() ? "eval" : absl::StrCat("eval_", name));
}

StatusOr<std::string> Estimator::CheckpointFor(const std::string& chosen,
                                               const char* purpose) const {
  if (!chosen.empty()) return chosen;
  MR_ASSIGN_OR_RETURN(std::string newest, NewestCheckpoint());
  if (!newest.empty()) return newest;
  return NotFound("no checkpoint to ", purpose, " in ", config_.model_dir,
                  ": expected a model that was trained, or the prefix of a "
                  "checkpoint");
}

StatusOr<int64_t> Estimator::TrainedSteps() const {
  MR_ASSIGN_OR_RETURN(const std::string newest, NewestCheckpoint());
  if (newest.empty()) return int64_t{0};
  MR_ASSIGN_OR_RETURN(const auto reader,
                      CheckpointReader::Open(config_.file_system(), newest));
  const StatusOr<Tensor> step = reader->Lookup(graph_keys::kGlobalStep);
  // It may be one of a saver that leaves the step out.
  if (step.status().code() == StatusCode::kNotFound) return int64_t{0};
  MR_RETURN_IF_ERROR(step.status());
  MR_ASSIGN_OR_RETURN(const double number, ScalarValue(*step));
  return static_cast<int64_t>(number);
}

StatusOr<EventWriter*> Estimator::Events(const std::string& directory,
                                         const std::string& suffix) {
  std::unique_ptr<EventWriter>& writer = events_[directory];
  if (!writer) {
    MR_ASSIGN_OR_RETURN(writer,
                        EventWriter::Open(config_.file_system(), directory,
                                          {.file_suffix = suffix}));
  }
  return writer.get();
}

StatusOr<EventWriter*> Estimator::TrainingEvents() {
  const auto& jobs = config_.place.cluster.jobs();
  const TaskName& task = config_.place.task;
  // A master evaluates between its steps, so it is the first worker that writes
  // down what happens in each.
  if (jobs.contains(kMasterJob) && jobs.contains(kWorkerJob)) {
    if (task.job == kWorkerJob && task.index == 0)
      return Events(config_.model_dir, ".worker_0");
  } else if (config_.place.is_chief) {
    return Events(config_.model_dir, "");
  }
  EventWriter* const none = nullptr;
  return none;
}

StatusOr<TrainResult> Estimator::Train(const InputFunction& input,
                                       const TrainOptions& options) {
  MR_RETURN_IF_ERROR(config_.Check());
  MR_RETURN_IF_ERROR(CheckSteps(options));
  const std::string& job = config_.place.task.job;
  if (job == kEvaluatorJob || job == kPsJob) {
    return FailedPrecondition(
        "a task of type \"", job,
        "\" does not train; TrainAndEvaluate does what each task has to do");
  }
  if (options.max_steps) {
    MR_ASSIGN_OR_RETURN(const int64_t trained, TrainedSteps());
    if (trained >= *options.max_steps) {
      MR_LOG(Info) << "the training is left out: the newest checkpoint is of "
                      "step "
                   << trained;
      TrainResult result{.global_step = trained};
      MR_ASSIGN_OR_RETURN(result.checkpoint, NewestCheckpoint());
      return result;
    }
  }
  MR_ASSIGN_OR_RETURN(EventWriter* const events, TrainingEvents());
  MR_ASSIGN_OR_RETURN(
      const ModelGraph model,
      BuildModelGraph(model_, input, ModelMode::kTrain, config_));
  MR_ASSIGN_OR_RETURN(TrainResult result,
                      RunTraining(model, config_,
                                  {.steps = options.steps,
                                   .max_steps = options.max_steps,
                                   .hooks = options.hooks,
                                   .events = events}));
  MR_ASSIGN_OR_RETURN(result.checkpoint, NewestCheckpoint());
  MR_LOG(Info) << "trained to step " << result.global_step
               << ", the last loss is "
               << (result.loss ? absl::StrCat(*result.loss) : "unknown");
  return result;
}

StatusOr<EvaluateResult> Estimator::Evaluate(const InputFunction& input,
                                             const EvaluateOptions& options) {
  MR_RETURN_IF_ERROR(config_.Check());
  MR_RETURN_IF_ERROR(CheckPositive("steps", options.steps));
  MR_ASSIGN_OR_RETURN(const std::string checkpoint,
                      CheckpointFor(options.checkpoint, "evaluate"));
  MR_ASSIGN_OR_RETURN(
      const ModelGraph model,
      BuildModelGraph(model_, input, ModelMode::kEvaluate, config_));
  MR_ASSIGN_OR_RETURN(EvaluateResult result,
                      RunEvaluation(model, config_,
                                    {.checkpoint = checkpoint,
                                     .steps = options.steps,
                                     .hooks = options.hooks}));
  MR_ASSIGN_OR_RETURN(EventWriter* const events,
                      Events(EvalDir(options.name), ""));
  MR_RETURN_IF_ERROR(WriteResult(events, result));
  MR_LOG(Info) << "evaluated " << checkpoint << ": " << TextOf(result);
  return result;
}

Status Estimator::Predict(const InputFunction& input,
                          const PredictionFunction& each,
                          const PredictOptions& options) {
  MR_RETURN_IF_ERROR(config_.Check());
  MR_RETURN_IF_ERROR(CheckPositive("batches", options.batches));
  if (!each) {
    return InvalidArgument(
        "nothing takes the predictions, expected a function of a batch");
  }
  PredictOptions chosen = options;
  MR_ASSIGN_OR_RETURN(chosen.checkpoint,
                      CheckpointFor(options.checkpoint, "predict from"));
  MR_ASSIGN_OR_RETURN(
      const ModelGraph model,
      BuildModelGraph(model_, input, ModelMode::kPredict, config_));
  return RunPredictions(model, config_, chosen, each);
}

}  // namespace millrace::train
