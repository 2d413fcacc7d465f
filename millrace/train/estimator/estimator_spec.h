// The parts of an estimator: a function of its input and a function of its
// model, which build both in the graph that they are given.
//
//   EstimatorInput Rows(const Scope& s, ModelMode mode) {
//     ...
//     return {.features = {{"x", x}}, .labels = {{"y", y}}};
//   }
//   EstimatorSpec Line(const ModelArguments& model) {
//     const Scope& s = model.scope;
//     const Output y = train::Dense(VariableScope(s), model.Feature("x"), 1);
//     if (model.mode == ModelMode::kPredict) return {.predictions = {{"y",
//     y}}}; const Output loss = train::MeanSquaredError(s, model.Label("y"),
//     y); train::GradientDescentOptimizer rule(0.1); return {.loss = loss,
//             .train_op = rule.Minimize(
//                 s, loss, {.global_step = model.global_step})};
//   }
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "millrace/train/estimator/run_config.h"
#include "millrace/train/metrics.h"
#include "millrace/train/saver.h"
#include "millrace/train/session_hook.h"

namespace millrace::train {

enum class ModelMode { kTrain, kEvaluate, kPredict };

using NamedOutputs = std::map<std::string, Output>;

struct EstimatorInput {
  // One tensor alone may have the name "".
  NamedOutputs features;
  NamedOutputs labels;  // empty for predictions
  // Ops that each session runs before its first step, such as MakeIterator.
  std::vector<Operation> initializers;
};

// Builds the input of one mode. `scope` is on the CPU of this task, and so are
// the input's local variables: each replica counts its epochs for itself.
using InputFunction =
    std::function<EstimatorInput(const Scope& scope, ModelMode mode)>;

struct ModelArguments {
  // Below a ReplicaDeviceSetter where there are parameter servers.
  const Scope& scope;
  ModelMode mode = ModelMode::kTrain;
  const NamedOutputs& features;
  const NamedOutputs& labels;
  ops::Variable global_step;
  const RunConfig& config;

  // Return one of them; "" is the only one. One that is not there is an error
  // of the graph, INVALID_ARGUMENT, and null.
  Output Feature(const std::string& name = "") const;
  Output Label(const std::string& name = "") const;
};

// The result of a model function. Training needs `loss` and `train_op`,
// evaluation `loss`, prediction `predictions`; what a mode does not need is
// ignored. Exporting is not part of it: this library writes no SavedModels.
struct EstimatorSpec {
  NamedOutputs predictions;
  Output loss;  // a scalar, or one number of any shape
  // Increments the global step; what a step waits for.
  Operation train_op;
  // Added up over an evaluation; "loss" and "global_step" are there already.
  std::map<std::string, Metric> eval_metric_ops;
  // Called around runs whose fetches begin with the global step and, except in
  // predictions, the loss. They are made anew with each graph.
  std::vector<std::shared_ptr<SessionHook>> training_hooks;
  std::vector<std::shared_ptr<SessionHook>> training_chief_hooks;
  std::vector<std::shared_ptr<SessionHook>> evaluation_hooks;
  std::vector<std::shared_ptr<SessionHook>> prediction_hooks;
  // The variables to save, if that is not all. History and files are those of
  // the RunConfig.
  SaverOptions saver;
  // Is kept as long as the hooks are used, such as the SyncReplicas of one.
  std::vector<std::shared_ptr<const void>> owned;
};

using ModelFunction = std::function<EstimatorSpec(const ModelArguments& model)>;

}  // namespace millrace::train
