// One evaluation of an estimator's model, and its results as events. Private to
// estimator/.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "millrace/checkpoint/records/event_writer.h"
#include "millrace/train/estimator/estimator_results.h"
#include "millrace/train/estimator/model_graph.h"

namespace millrace::train {

struct EvaluationOptions {
  std::string checkpoint;
  std::optional<int64_t> steps;  // none: all that the input gives
  std::vector<SessionHook*> hooks;
};

// Returns INVALID_ARGUMENT for metrics called "loss" and "global_step"; ABORTED
// if the session was lost in the middle, with what the metrics had added up.
StatusOr<EvaluateResult> RunEvaluation(const ModelGraph& model,
                                       const RunConfig& config,
                                       const EvaluationOptions& options);

// Writes the metrics and the name of the checkpoint as summaries of its step.
Status WriteResult(EventWriter* events, const EvaluateResult& result);

}  // namespace millrace::train
