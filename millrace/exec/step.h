// Step: one run of a Plan.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "millrace/base/threads/done.h"
#include "millrace/base/threads/thread_pool.h"
#include "millrace/exec/plan.h"

namespace millrace {

// Says what becomes of a run's results that are views of variables.
enum class ResultViews : uint8_t {
  kKeep,               // they stay views
  kBindAtEnd,          // they are bound when the run has ended
  kBindAtTheFirstWait  // or when it first waits (exec/fetched_views.h)
};

// The inputs and outputs of a run. Everything must outlive the run.
struct PlanRun {
  StepEnvironment* environment = nullptr;
  absl::Span<const Tensor> args;           // by the index of _Arg
  std::vector<Tensor>* retvals = nullptr;  // by the index of _Retval; a dead
                                           // one stays invalid
  TaskQueue* pool = nullptr;               // runs ready nodes
  ResultViews result_views = ResultViews::kKeep;
  // Whether nodes that are not cheap may run on the calling thread, too, until
  // the first wait (a local Run on the user's thread). They always may on a
  // thread of the pool, or on one that has handed its events over
  // (base/threads/event_threads.h).
  bool may_use_caller = false;
  // Whether the run ends when the device has done all work that its kernels
  // enqueued. A call in a step of the same device need not wait for it: its
  // caller uses the results in the device's order.
  bool ends_when_idle = true;
};

// Runs every node of the plan that becomes ready, and calls `done` exactly
// once, after the last running node, with OK or the step's first underived
// error. That error has cancelled environment->cancel. `done` may be called
// before this returns.
void RunPlan(std::shared_ptr<const Plan> plan, const PlanRun& run, Done done);

}  // namespace millrace
