// Pipeline: a network whose stages are on different devices and work at the
// same time, on different parts of a batch.
//
//   const PipelineOutputs y = Pipeline(
//       v,
//       {{"/job:worker/task:0",
//         [](const VariableScope& at, const std::vector<Output>& x) {
//           return std::vector<Output>{
//               Dense(at, x[0], 1024, {.activation = ops::Relu})};
//         }},
//        {"/job:worker/task:1",
//         [](const VariableScope& at, const std::vector<Output>& x) {
//           return std::vector<Output>{Dense(at, x[0], 10)};
//         }}},
//       {x}, {.micro_batches = 8});
//   ... y.outputs[0] ...
//
// A batch is cut into micro-batches, and each goes through the stages. A node
// of a graph starts when its inputs are there, so a stage works on a
// micro-batch while the next stage works on the one before; control edges keep
// a stage from beginning a micro-batch before it has ended with the one before.
// With stages of equal work and m micro-batches on p devices a share of
// (p - 1) / (m + p - 1) of the time is idle; pipeline_trace.h measures it.
// For training see pipeline_training.h.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "millrace/client/variables/variable_scope.h"

namespace millrace::train {

struct PipelineStage {
  std::string device;  // a device block within those of the scope
  // Builds the layers for one micro-batch. Called once for each of them, and
  // each time for all stages in their order, so that layers without a name get
  // the same ones: `variables` creates variables in the first micro-batch and
  // shares them in all others. The first dimension of what the last stage
  // returns is that of the micro-batch.
  std::function<std::vector<Output>(const VariableScope& variables,
                                    const std::vector<Output>& inputs)>
      layers;
};

struct PipelineOptions {
  int64_t micro_batches = 1;
  std::string name = "pipeline";  // of the block of variables and of ops
};

struct PipelineOutputs {
  std::vector<Output> outputs;  // of the whole batch, on the last device
  // The block of the ops, "pipeline/": "pipeline/forward_3/stage_1/..." are
  // those of micro-batch 3 at stage 1.
  std::string block;

  // False after an error of the graph.
  explicit operator bool() const { return !outputs.empty(); }
};

// Builds the pipeline for `inputs` [batch, ...], which are cut on the first
// device. Values are those of the same layers without a pipeline in the block
// "pipeline" of variables, except of layers that depend on the whole batch
// (batch normalization sees the micro-batch alone). No stage, a stage without
// layers or outputs, no input, and a batch that cannot be cut so are errors of
// the graph, INVALID_ARGUMENT.
PipelineOutputs Pipeline(const VariableScope& variables,
                         const std::vector<PipelineStage>& stages,
                         const std::vector<Output>& inputs,
                         const PipelineOptions& options = {});

}  // namespace millrace::train
