// ModelGraph: the graph of an estimator's input and model for one mode. Private
// to estimator/.
#pragma once

#include "millrace/train/estimator/estimator_spec.h"
#include "millrace/train/monitored_session.h"

namespace millrace::train {

struct ModelGraph {
  Scope root;   // without devices
  Scope scope;  // in which the model was built
  ops::Variable global_step;
  EstimatorSpec spec;  // its loss is a scalar, float or double
};

// Calls both functions in a new graph. Returns the graph's error, and
// INVALID_ARGUMENT for a spec that lacks what the mode needs, has more than one
// number as the loss, or tensors of another graph.
StatusOr<ModelGraph> BuildModelGraph(const ModelFunction& model,
                                     const InputFunction& input, ModelMode mode,
                                     const RunConfig& config);

// Returns the options of a session on `target` that saves nothing.
MonitoredSessionOptions SessionOf(const RunConfig& config,
                                  const EstimatorSpec& spec,
                                  const std::string& target);

// Returns the hooks as a session takes them.
std::vector<SessionHook*> PointersTo(
    const std::vector<std::shared_ptr<SessionHook>>& hooks);

}  // namespace millrace::train
