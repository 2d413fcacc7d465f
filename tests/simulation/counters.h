// Counters: clients that count in variables on the ps and check the sums.
#pragma once

#include <cstdint>
#include <string>

#include "millrace/base/clock.h"
#include "tests/simulation/sim_cluster.h"

namespace millrace::sim {

// What a client saw.
struct CounterResult {
  Status status;             // the first thing that must not be
  int64_t steps = 0;         // runs that were tried
  int64_t acknowledged = 0;  // increments known to have happened
  int64_t lost_state = 0;    // times that a ps had forgotten its variable
};

// Client `index` opens sessions at worker `index` and increments a variable of
// its own on each ps, each by a run of its own, with a gradient-like value
// computed on the worker. Until `faults_end` errors of the kinds that clients
// recover from are met by a new session; after it, `calm_steps` runs in a row
// must succeed before `limit`.
CounterResult Count(SimCluster& cluster, int index, int num_ps,
                    Deadline faults_end, int calm_steps, Deadline limit);

}  // namespace millrace::sim
