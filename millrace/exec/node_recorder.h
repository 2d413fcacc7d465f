// NodeRecorder: records the runs of the nodes of a plan in one step.
#pragma once

#include <cstdint>

#include "absl/types/span.h"
#include "millrace/exec/plan.h"
#include "millrace/exec/step_stats.h"
#include "millrace/kernel/kernel_context.h"

namespace millrace {

// Thread-safe.
class NodeRecorder {
 public:
  // `plan` and `stats` must outlive it. Records nothing if `stats` is null.
  NodeRecorder(const Plan& plan, StepStatsCollector* stats);

  bool is_on() const { return stats_ != nullptr; }
  // Records a run of a node. Must be called on the thread on which it ended,
  // before its outputs are passed on. Requires: is_on().
  void Record(const PlanNode& n, int64_t start_nanos, int64_t end_nanos,
              absl::Span<const EdgeValue> outputs) const;

 private:
  const Plan& plan_;
  StepStatsCollector* const stats_;
  const int32_t number_;  // of the plan in `stats_`
};

}  // namespace millrace
