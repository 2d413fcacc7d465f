// One seed: a cluster, its clients and the trouble, in one simulation.
#pragma once

#include "millrace/base/sim.h"
#include "tests/simulation/nemesis.h"

namespace millrace::sim {

struct SeedResult {
  SimResult sim;  // its status has the first thing that must not be
  int64_t steps = 0;
  int64_t acknowledged = 0;
  int64_t lost_state = 0;
  int64_t calls = 0;
  FaultCounts faults;
};

SeedResult RunSeed(uint64_t seed, bool verbose);

}  // namespace millrace::sim
