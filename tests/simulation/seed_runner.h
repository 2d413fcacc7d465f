// RunSeeds: many seeds, each run twice, by several processes.
#pragma once

#include <cstdint>

namespace millrace::sim {

struct SeedRange {
  uint64_t first = 1;
  int64_t count = 100;
  int jobs = 0;           // processes; 0: one a core
  bool only_one = false;  // stop soon after the first seed that fails
  bool twice = true;      // and compare the hashes
};

// Prints each seed that fails with a line that runs it again, then the totals.
// The exit code: 0 if all have passed and enough has happened. Call it before
// there are other threads.
int RunSeeds(const SeedRange& range);

}  // namespace millrace::sim
