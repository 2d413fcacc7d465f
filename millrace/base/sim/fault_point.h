// MR_FAULT_POINT("worker.before_run_graph") is true when a simulation injects a
// fault at this point. Each point is active in a quarter of the runs and then
// fires one time in four; the seed decides both (SimOptions::fault_points). It
// is always false outside a simulation, and compiled out with
// MILLRACE_NO_FAULT_POINTS.
#pragma once

#include "absl/strings/string_view.h"
#include "millrace/base/sim/sim_hooks.h"

namespace millrace::internal {
bool FaultPointFires(absl::string_view name);
}  // namespace millrace::internal

#ifdef MILLRACE_NO_FAULT_POINTS
#define MR_FAULT_POINT(name) false
#else
#define MR_FAULT_POINT(name) \
  (::millrace::internal::InSim() && ::millrace::internal::FaultPointFires(name))
#endif
