// TrainingPipeline: trains a network whose stages work on different devices at
// the same time.
//
//   const PipelineTraining p = TrainingPipeline(
//       v, stages, {x}, {labels},
//       [](const VariableScope& at, const std::vector<Output>& outputs,
//          const std::vector<Output>& labels) {
//         return SparseSoftmaxCrossEntropy(at.scope(), labels[0], outputs[0]);
//       },
//       {.micro_batches = 8});
//   GradientDescentOptimizer rule(0.1);
//   const Operation train_op =
//       rule.ApplyGradients(s, p.gradients, {.global_step = step});
//
// Gradients are averaged over the micro-batches and applied once, so a step is
// that of the network without a pipeline. SyncReplicas take them, too, for
// several pipelines that train together; their variables are shared if the
// layers place them on parameter servers, by a ReplicaDeviceSetter with the
// stage's device as that of the worker.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "millrace/train/optimizers/optimizer.h"
#include "millrace/train/pipeline/pipeline.h"
#include "millrace/train/pipeline/pipeline_order.h"

namespace millrace::train {

// Returns the mean loss of the examples of a micro-batch, a scalar: from what
// the last stage gives, on its device. Called once for each micro-batch, so a
// function of losses.h adds as many losses to its collection.
using PipelineLoss = std::function<Output(const VariableScope& variables,
                                          const std::vector<Output>& outputs,
                                          const std::vector<Output>& labels)>;

struct TrainingPipelineOptions {
  int64_t micro_batches = 1;
  PipelineOrder order = PipelineOrder::kForwardFirst;
  std::vector<ops::Variable> variables;  // empty: the trainable ones
  std::string name = "pipeline";         // of the block of variables and of ops
};

struct PipelineTraining {
  Output loss;  // the mean of the micro-batches', on the last device
  // The outputs of the whole batch, on the last device; computed if they are
  // fetched.
  std::vector<Output> outputs;
  // The derivative of `loss` for each variable, on the variable's device; none
  // if the loss does not depend on it, sparse if every stage reads it by rows
  // alone.
  std::vector<GradientAndVariable> gradients;
  // The block of the ops, in which those of a micro-batch at a stage are
  // "forward_3/stage_1/..." and "backward_3/stage_1/...".
  std::string block;

  // False after an error of the graph.
  explicit operator bool() const { return static_cast<bool>(loss); }
};

// Builds the pipeline and its gradients. `labels` [batch, ...] are cut as the
// inputs are, on the last device; there may be none. The gradients of a stage
// are computed and added up on its device, as they come. Several stages may use
// a variable. Errors of the graph are those
// of Pipeline, and a loss that is no scalar of floating type; no variable to
// train is one, too, as for Optimizer::ComputeGradients.
//
// To evaluate the network, build a Pipeline in the same block of variables with
// Reuse::kYes.
PipelineTraining TrainingPipeline(const VariableScope& variables,
                                  const std::vector<PipelineStage>& stages,
                                  const std::vector<Output>& inputs,
                                  const std::vector<Output>& labels,
                                  const PipelineLoss& loss,
                                  const TrainingPipelineOptions& options = {});

}  // namespace millrace::train
