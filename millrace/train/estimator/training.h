// The training of an estimator's model: its session, hooks, summaries and the
// loop of steps. Private to estimator/.
#pragma once

#include <optional>
#include <vector>

#include "millrace/checkpoint/records/event_writer.h"
#include "millrace/train/estimator/estimator_results.h"
#include "millrace/train/estimator/model_graph.h"

namespace millrace::train {

struct TrainingOptions {
  std::optional<int64_t> steps;  // at most one of the two
  std::optional<int64_t> max_steps;
  std::vector<SessionHook*> hooks;
  EventWriter* events = nullptr;  // null: this task writes none
};

// Trains until a hook, the end of the input or a stop ends it. After an error
// nothing is saved.
StatusOr<TrainResult> RunTraining(const ModelGraph& model,
                                  const RunConfig& config,
                                  const TrainingOptions& options);

}  // namespace millrace::train
