// RunSeed: runs one seed, a cluster, its clients and the faults, in one
// simulation.
#pragma once

#include "millrace/base/sim/sim.h"
#include "tests/simulation/faults.h"
#include "tests/simulation/verdict.h"

namespace millrace::sim {

struct SeedResult {
  SimResult sim;  // its status is the first violation
  int64_t steps = 0;
  int64_t acknowledged = 0;
  int64_t lost_state = 0;
  int64_t put = 0;  // elements of queues
  int64_t taken = 0;
  int64_t saved = 0;
  int64_t restored = 0;
  int64_t resets = 0;
  int64_t calls = 0;
  TroubleCounts troubles;
};

// Minimum for each seed.
inline constexpr int64_t kMinSteps = 200;
inline constexpr int64_t kMinTroubles = 10;

// Every seed determines one run. `verbose` adds the servers' log, and the last
// events in the result of a failure.
SeedResult RunSeed(uint64_t seed, bool verbose);

// Does the same for another `body`, in a world of `options`.
SeedResult RunWorld(SimOptions options, bool verbose,
                    void (*body)(Verdict& verdict, SeedResult* result));

}  // namespace millrace::sim
