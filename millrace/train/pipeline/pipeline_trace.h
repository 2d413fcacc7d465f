// PipelineTrace: what the stages of a pipeline did in a traced step, and how
// much of the time they did nothing.
//
//   RunMetadata metadata;
//   session.Run({}, y.outputs, {},
//               {.options = {.trace_level = TraceLevel::kFull},
//                .metadata = &metadata});
//   const auto trace = TracePipeline(metadata.step_stats, y.block);
//   ... trace->idle_share, IdleShareOf(2, 8) ...
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "millrace/base/status.h"
#include "millrace/client/session.h"
#include "millrace/train/pipeline/pipeline_order.h"

namespace millrace::train {

// Times are those of NodeExecStats: nanoseconds since 1970 by the clock of the
// stage's task.
struct StageTrace {
  struct Run {
    PipelineTask task;
    int64_t start_nanos =
        0;                  // all of its inputs are there, and it has the turn
    int64_t end_nanos = 0;  // of the last of its nodes
  };
  std::vector<Run> runs;   // in the order in which they started
  int64_t busy_nanos = 0;  // in which at least one node ran
};

struct PipelineTrace {
  std::vector<StageTrace> stages;
  int64_t nanos = 0;  // from the first start to the last end
  // The share of the time of all stages together in which they ran no node.
  double idle_share = 0;
};

// Returns the trace of the pipeline whose ops are in `block` (PipelineOutputs,
// PipelineTraining). NOT_FOUND if a step of it was not traced.
StatusOr<PipelineTrace> TracePipeline(const StepStats& stats,
                                      const std::string& block);

// Returns (stages - 1) / (micro_batches + stages - 1): the idle share of
// stages of equal work, if nothing else takes time. Requires: both positive.
double IdleShareOf(int64_t stages, int64_t micro_batches);

}  // namespace millrace::train
