// RunSeeds: runs many seeds, each twice, in several processes.
#pragma once

#include <cstdint>

#include "tests/simulation/run_seed.h"

namespace millrace::sim {

// What each seed runs.
enum class Scenario {
  kClients,   // RunSeed
  kTraining,  // RunTrainingSeed
};
SeedResult RunScenario(Scenario scenario, uint64_t seed, bool verbose);

struct SeedRange {
  Scenario scenario = Scenario::kClients;
  uint64_t first = 1;
  int64_t count = 100;
  int jobs = 0;           // processes; 0: one per core
  bool only_one = false;  // stop soon after the first seed that fails
  bool twice = true;      // and compare the hashes
};

// Prints each seed that fails with a line that runs it again, then the totals.
// Returns the exit code: 0 if all have passed and the totals meet the minima of
// the scenario (only kClients has some).
// Requires: there are no other threads yet.
int RunSeeds(const SeedRange& range);

}  // namespace millrace::sim
