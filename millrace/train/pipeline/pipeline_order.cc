#include "millrace/train/pipeline/pipeline_order.h"

#include <algorithm>

namespace millrace::train {

std::vector<PipelineTask> TasksOfStage(PipelineOrder order, int64_t stage,
                                       int64_t stages, int64_t micro_batches) {
  const int64_t later = stages - 1 - stage;
  // How many micro-batches go forward before the first gradients.
  const int64_t ahead = later > 0 && order == PipelineOrder::kForwardFirst
                            ? micro_batches
                            : std::min(later, micro_batches);
  std::vector<PipelineTask> tasks;
  for (int64_t i = 0; i < ahead; ++i) {
    tasks.push_back({PipelinePass::kForward, i});
  }
  for (int64_t i = ahead; i < micro_batches; ++i) {
    tasks.push_back({PipelinePass::kForward, i});
    tasks.push_back({PipelinePass::kBackward, i - ahead});
  }
  for (int64_t i = micro_batches - ahead; i < micro_batches; ++i) {
    tasks.push_back({PipelinePass::kBackward, i});
  }
  return tasks;
}

}  // namespace millrace::train
