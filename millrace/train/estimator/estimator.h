// Estimator: a model function with a folder for its checkpoints, and what can
// be done with both, in the manner of tf.estimator.
//
//   Estimator estimator(Line, {.model_dir = "/models/line"});
//   MR_RETURN_IF_ERROR(estimator.Train(Rows, {.max_steps = 1000}).status());
//   MR_ASSIGN_OR_RETURN(const EvaluateResult result,
//                       estimator.Evaluate(Rows, {.steps = 10}));
//
// Checkpoints, their names and the folders of events are TensorFlow's: an
// estimator in Python whose model has variables of the same names goes on from
// the folder of one in C++, and the other way round. train_and_evaluate.h runs
// it on a cluster.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "millrace/checkpoint/records/event_writer.h"
#include "millrace/train/estimator/estimator_results.h"
#include "millrace/train/estimator/estimator_spec.h"
#include "millrace/train/estimator/run_config.h"

namespace millrace::train {

// Hooks must outlive the call. They see runs as EstimatorSpec's do.
struct TrainOptions {
  // How many steps more, or up to which; at most one of the two. Neither: until
  // the input ends.
  std::optional<int64_t> steps;
  std::optional<int64_t> max_steps;
  std::vector<SessionHook*> hooks;
};

struct EvaluateOptions {
  std::optional<int64_t> steps;  // batches; none: until the input ends
  std::string checkpoint;        // its prefix; empty: the newest
  std::string name;              // events go to "eval_NAME", or "eval"
  std::vector<SessionHook*> hooks;
};

struct PredictOptions {
  std::optional<int64_t> batches;  // none: until the input ends
  std::string checkpoint;          // its prefix; empty: the newest
  std::vector<std::string> keys;   // of the predictions; empty: all
  std::vector<SessionHook*> hooks;
};

// Takes the predictions for one batch. OUT_OF_RANGE ends them; any other error
// is returned by Predict.
using PredictionFunction = std::function<Status(const NamedTensors& batch)>;

// Used by one thread at a time. Each call builds a graph of its own.
class Estimator {
 public:
  Estimator(ModelFunction model, RunConfig config);
  Estimator(const Estimator&) = delete;
  Estimator& operator=(const Estimator&) = delete;

  // Trains on what `input` gives. The model begins with the newest checkpoint;
  // with max_steps it is not trained if that has as many. On a cluster its
  // server must run already (TrainAndEvaluate starts it). A loss that is not a
  // number, and any other error, ends the training without a last checkpoint;
  // a stop of the configuration ends it after a step, with one.
  StatusOr<TrainResult> Train(const InputFunction& input,
                              const TrainOptions& options = {});

  // Evaluates a checkpoint on what `input` gives, in this process or at
  // place.evaluation_master, and writes the result as events. Returns NOT_FOUND
  // that names the folder if there is no checkpoint.
  StatusOr<EvaluateResult> Evaluate(const InputFunction& input,
                                    const EvaluateOptions& options = {});

  // Calls `each` with the predictions for each batch of `input`, in this
  // process. Returns NOT_FOUND as Evaluate does.
  Status Predict(const InputFunction& input, const PredictionFunction& each,
                 const PredictOptions& options = {});

  const RunConfig& config() const { return config_; }
  // Returns the prefix of the newest checkpoint, "" if there is none.
  StatusOr<std::string> NewestCheckpoint() const;
  // Returns the folder of an evaluation's events.
  std::string EvalDir(const std::string& name) const;

 private:
  // Returns the checkpoint to use for `purpose`.
  StatusOr<std::string> CheckpointFor(const std::string& chosen,
                                      const char* purpose) const;
  // Returns the global step of the newest checkpoint, 0 without one.
  StatusOr<int64_t> TrainedSteps() const;
  // Returns the writer of the training's events; null if another task writes.
  StatusOr<EventWriter*> TrainingEvents();
  StatusOr<EventWriter*> Events(const std::string& directory,
                                const std::string& suffix);

  const ModelFunction model_;
  const RunConfig config_;
  // By folder: all events of this process are in one file.
  std::map<std::string, std::unique_ptr<EventWriter>> events_;
};

}  // namespace millrace::train
