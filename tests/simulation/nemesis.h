// Nemesis: makes trouble for a simulated cluster, as the seed decides.
#pragma once

#include <map>
#include <string>

#include "millrace/base/clock.h"
#include "tests/simulation/sim_cluster.h"

namespace millrace::sim {

// How often each kind of trouble was made, by name.
using FaultCounts = std::map<std::string, int64_t>;

// Kills and restarts, freezes, partitions and faults of calls, one after the
// other with pauses, until `end`; then everything is healed and every task
// runs. Runs on the calling thread.
FaultCounts MakeTrouble(SimCluster& cluster, Deadline end);

}  // namespace millrace::sim
