// PipelineOrder: in which order a stage of a pipeline works on micro-batches.
#pragma once

#include <cstdint>
#include <vector>

namespace millrace::train {

enum class PipelineOrder {
  // A stage begins with gradients when it has all micro-batches forward behind
  // it, and keeps what gradients need of all of them (Huang et al., "GPipe:
  // efficient training of giant neural networks using pipeline parallelism",
  // NeurIPS 2019).
  kForwardFirst,
  // A stage alternates between a micro-batch forward and the gradients of an
  // earlier one as soon as it can, and keeps what gradients need of at most as
  // many micro-batches as there are stages from it to the last (Narayanan et
  // al., "PipeDream: generalized pipeline parallelism for DNN training", SOSP
  // 2019). As fast, if what travels between stages takes no time.
  kAlternating,
};

enum class PipelinePass { kForward, kBackward };

// A micro-batch at a stage.
struct PipelineTask {
  PipelinePass pass = PipelinePass::kForward;
  int64_t micro_batch = 0;

  friend bool operator==(const PipelineTask&, const PipelineTask&) = default;
};

// Returns what stage `stage` of `stages` does, in its order. Each pass goes
// through the micro-batches in theirs. The last stage alternates in either
// order: the gradients of a micro-batch have nothing to wait for there.
std::vector<PipelineTask> TasksOfStage(PipelineOrder order, int64_t stage,
                                       int64_t stages, int64_t micro_batches);

}  // namespace millrace::train
