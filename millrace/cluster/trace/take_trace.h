// TakeTrace: takes one trace of a cluster's next steps, over all its tasks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "millrace/cluster/trace/clock_alignment.h"
#include "millrace/protocol/peer.h"

namespace millrace {

struct TakeTraceOptions {
  int32_t steps = 10;
  int64_t timeout_ms = 30'000;  // time limit for the steps to begin and end
  int64_t max_events = 0;       // of each task; 0: kDefaultTraceEvents
};

struct TraceProgress {
  int32_t steps_done = 0;
  int32_t steps_running = 0;
  int64_t left_ms = 0;
};

// Events of all tasks, each by its own clock.
struct ClusterTrace {
  struct Task {
    std::string task;
    std::string address;
    std::string version;
    // The reason for which its events, or further events, are missing; empty:
    // none are.
    std::string missing;
    // "Here" is the server that was asked.
    ClockAlignment clock;
    CollectTraceReply events;
  };
  // Times are by the clock of the server that was asked.
  struct Step {
    int64_t step_id = 0;
    size_t master = 0;  // index in the tasks
    std::string session;
    int64_t start_nanos = 0;
    int64_t end_nanos = 0;  // for a step that still runs: when the trace ended
    bool running = false;
    std::string error;      // empty: OK
    std::string waits_for;  // of a step that still runs
  };
  std::vector<Task> tasks;  // in the order of the cluster
  // Ordered by their beginnings. At most as many as were asked for; those that
  // still run are included only if too few have ended. Tasks may have events of
  // other steps.
  std::vector<Step> steps;

  int32_t steps_done() const;
  int64_t dropped_events() const;
  int64_t clock_error_nanos() const;
};

// Asks the tasks through one of them, `server`, for the next steps that begin
// anywhere in the cluster, of any session. Returns when they have ended or the
// time has passed, and waits a few seconds for tasks that do not answer. Calls
// `progress` several times a second, on the calling thread. Fails only if
// `server` does. Blocks: must not run on a server's lanes.
StatusOr<ClusterTrace> TakeTrace(
    AdminApi& server, const TakeTraceOptions& options,
    absl::FunctionRef<void(const TraceProgress&)> progress);

}  // namespace millrace
