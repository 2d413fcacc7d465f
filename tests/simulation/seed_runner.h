// RunSeeds: runs many seeds, each twice, in several processes.
#pragma once

#include <cstdint>

namespace millrace::sim {

struct SeedRange {
  uint64_t first = 1;
  int64_t count = 100;
  int jobs = 0;           // processes; 0: one per core
  bool only_one = false;  // stop soon after the first seed that fails
  bool twice = true;      // and compare the hashes
};

// Prints each seed that fails with a line that runs it again, then the totals.
// Returns the exit code: 0 if all have passed and the totals meet the minima.
// Requires: there are no other threads yet.
int RunSeeds(const SeedRange& range);

}  // namespace millrace::sim
