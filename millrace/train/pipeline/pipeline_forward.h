// The forward pass of a pipeline, which serving and training have in common.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "millrace/train/pipeline/pipeline.h"

namespace millrace::train {

// The ops that a micro-batch begins with at a stage, for control edges, and
// those with which it has ended.
struct StageRun {
  std::vector<Operation> starts;
  std::vector<Operation> ends;
};

// A micro-batch forward at a stage.
struct ForwardRun {
  std::vector<Output> inputs;
  std::vector<Output> outputs;
  StageRun run;
};

struct ForwardPass {
  Scope block;
  std::vector<std::vector<ForwardRun>> runs;  // by micro-batch and stage

  // False after an error of the graph.
  explicit operator bool() const { return !runs.empty(); }
};

// Builds what the last stage adds to a micro-batch; returns false after an
// error of the graph. `block`: of the pipeline's ops.
using AtTheEnd = std::function<bool(const Scope& block, const VariableScope& at,
                                    size_t micro_batch, ForwardRun* last)>;

// Builds the forward pass, without the edges between micro-batches.
ForwardPass BuildForward(const VariableScope& variables,
                         const std::vector<PipelineStage>& stages,
                         const std::vector<Output>& inputs,
                         int64_t micro_batches, const std::string& name,
                         const AtTheEnd& at_the_end = {});

// Adds edges by which each run begins after the end of the one before.
void RunInOrder(const Scope& scope, const std::vector<const StageRun*>& runs);

// Returns the outputs of the last stage for the whole batch.
std::vector<Output> OutputsOf(const ForwardPass& forward,
                              const PipelineStage& last);

}  // namespace millrace::train
