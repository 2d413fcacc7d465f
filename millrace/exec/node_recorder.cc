#include "millrace/exec/node_recorder.h"

#include <utility>

namespace millrace {

NodeRecorder::NodeRecorder(const Plan& plan, StepStatsCollector* stats)
    : plan_(plan),
      stats_(stats),
      number_(stats != nullptr ? stats->AddPlan(plan.Labels()) : 0) {}

void NodeRecorder::Record(const PlanNode& n, int64_t start_nanos,
                          int64_t end_nanos,
                          absl::Span<const EdgeValue> outputs) const {
  NodeStats stats;
  stats.plan = number_;
  stats.node = static_cast<int32_t>(&n - plan_.nodes().data());
  stats.is_async = n.is_async;
  stats.start_nanos = start_nanos;
  stats.end_nanos = end_nanos;
  stats.thread_id = CurrentThreadId();
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Tensor& t = outputs[i].tensor;
    if (!t.valid()) continue;
    stats.outputs.push_back({static_cast<int>(i), t.dtype(), t.shape(),
                             static_cast<int64_t>(t.size_bytes())});
  }
  stats_->Record(std::move(stats));
}

}  // namespace millrace
