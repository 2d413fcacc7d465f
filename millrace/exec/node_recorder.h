// NodeRecorder: records the runs of the nodes of a plan in one step.
#pragma once

#include <cstdint>
#include <memory>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "millrace/exec/plan.h"
#include "millrace/exec/step_stats.h"
#include "millrace/kernel/allocation_log.h"
#include "millrace/kernel/kernel_context.h"

namespace millrace {

// Thread-safe.
class NodeRecorder {
 public:
  // The memory that a kernel's run is given and takes.
  struct Notes {
    AllocationLog allocations;
    absl::InlinedVector<uintptr_t, 4> inputs;  // addresses; 0: no buffer
  };

  // `plan` and `stats` must outlive it. Records nothing if `stats` is null.
  NodeRecorder(const Plan& plan, StepStatsCollector* stats);

  bool is_on() const { return stats_ != nullptr; }
  // Returns whether it records all that RunMetadata has: StepStatsCollector::
  // KeepAll.
  bool keeps_all() const { return keeps_all_; }

  // Returns notes for a run with these inputs, which it has not taken yet.
  static std::unique_ptr<Notes> Note(absl::Span<const EdgeValue> inputs);
  // Records a run of a node. Must be called on the thread on which it ended,
  // before its outputs are passed on. `notes` may be null. Requires: is_on().
  void Record(const PlanNode& n, int64_t start_nanos, int64_t end_nanos,
              absl::Span<const EdgeValue> outputs,
              std::unique_ptr<Notes> notes) const;
  // Records a node that the executor handles itself. Requires: keeps_all().
  void RecordLight(const PlanNode& n,
                   absl::Span<const EdgeValue> outputs) const;
  // Records that a run of the plan starts. Requires: keeps_all().
  void RecordSource() const;

 private:
  void AddOutputs(absl::Span<const EdgeValue> outputs, const Notes* notes,
                  NodeStats* stats) const;

  const Plan& plan_;
  StepStatsCollector* const stats_;
  const bool keeps_all_;
  const int32_t number_;  // of the plan in `stats_`
};

}  // namespace millrace
