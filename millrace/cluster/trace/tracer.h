// Tracer: records one task's part of the traces that are taken of its cluster
// (docs/design/0014-traces.md).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/types/span.h"
#include "millrace/base/threads/lanes.h"
#include "millrace/base/threads/thread.h"
#include "millrace/exec/step_stats.h"
#include "millrace/protocol/peer.h"

namespace millrace {

// False in builds with -DMILLRACE_TRACE=OFF, which measure the cost of traces
// while none is taken.
#ifdef MILLRACE_WITHOUT_TRACE
inline constexpr bool kTraces = false;
#else
inline constexpr bool kTraces = true;
#endif

// The master of a step decides, when the step begins, whether it belongs to a
// trace, and tells the workers; they keep what they record of it until it is
// collected. Memory is bounded by the events and steps that a trace asked for,
// and by the number of traces; a trace that is not polled for kLeaseMs is
// dropped. Thread-safe; owned by a shared_ptr.
class Tracer : public std::enable_shared_from_this<Tracer> {
 public:
  struct Options {
    Lanes* lanes = nullptr;  // null: Lanes::Process()
    // Added to all reported times: simulates another machine in tests.
    int64_t clock_skew_nanos = 0;
  };
  explicit Tracer(Options options);

  static constexpr int64_t kLeaseMs = 10'000;
  static constexpr size_t kMaxTraces = 8;

  // ---- For the master.
  // Returns whether a trace wants the step that begins now. This is all that
  // traces cost a step while none is taken.
  bool wants_steps() const {
    return kTraces && wants_steps_.load(std::memory_order_relaxed);
  }
  // Returns the traces to which the step belongs.
  std::vector<uint64_t> BeginStep(int64_t step_id, const std::string& session,
                                  int64_t start_nanos);
  // Requires: called before the client gets its reply.
  void EndStep(absl::Span<const uint64_t> traces, int64_t step_id,
               const Status& status);

  // ---- For the worker.
  // Returns where the step records what it does here; null if none of the
  // traces is known, or there is no room.
  std::shared_ptr<StepStatsCollector> StatsOf(absl::Span<const uint64_t> traces,
                                              int64_t step_id);

  // ---- For TakeTrace. Each fills in only what it knows.
  Status Start(const StartTraceRequest& request);
  Status Collect(const CollectTraceRequest& request, CollectTraceReply* reply);
  int64_t now_nanos() const;
  size_t num_traces() const;

 private:
  struct Recorded {
    int64_t step_id;
    std::shared_ptr<StepStatsCollector> stats;
  };
  struct Trace {
    int32_t steps_wanted = 0;
    std::vector<TracedStep> steps;  // of this task as master
    std::vector<Recorded> recorded;
    std::shared_ptr<EventBudget> budget;
    Deadline lease;
  };

  void WatchLease(uint64_t trace_id, Deadline lease);
  void OnLease(uint64_t trace_id);
  void UpdateWantsSteps();

  Lanes& lanes_;
  const int64_t clock_skew_nanos_;
  std::atomic<bool> wants_steps_{false};

  mutable Mutex mu_;  // guards all below
  absl::btree_map<uint64_t, Trace> traces_;
};

}  // namespace millrace
