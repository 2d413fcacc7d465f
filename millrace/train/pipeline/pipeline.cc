#include "millrace/train/pipeline/pipeline.h"

#include "millrace/train/pipeline/pipeline_forward.h"

namespace millrace::train {

PipelineOutputs Pipeline(const VariableScope& variables,
                         const std::vector<PipelineStage>& stages,
                         const std::vector<Output>& inputs,
                         const PipelineOptions& options) {
  const ForwardPass forward = BuildForward(variables, stages, inputs,
                                           options.micro_batches, options.name);
  if (!forward) return {};
  for (size_t stage = 0; stage < stages.size(); ++stage) {
    std::vector<const StageRun*> runs;
    for (const std::vector<ForwardRun>& micro_batch : forward.runs) {
      runs.push_back(&micro_batch[stage].run);
    }
    RunInOrder(forward.block, runs);
  }
  return {.outputs = OutputsOf(forward, stages.back()),
          .block = forward.block.name()};
}

}  // namespace millrace::train
