// SeedTotals: sums over many seeds, run by several processes at once.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "tests/simulation/run_seed.h"

namespace millrace::sim {

// Lives in memory that the processes share: lock-free counters, no pointers.
class SeedTotals {
 public:
  // Adds a seed that has passed or failed, with its first run.
  void Add(const SeedResult& result, bool passed);
  // Adds a seed that ended its process.
  void AddCrash() { ++failed_; }

  int64_t passed() const { return passed_; }
  int64_t failed() const { return failed_; }

  // Returns the counts, by kind of fault and method, as text.
  std::string Report() const;
  // The same for seeds of RunTrainingSeed.
  std::string ReportOfTraining() const;
  // Returns a line for each count below its minimum; "" if there is none.
  // Shares of seeds count from 100 seeds on.
  std::string Shortfalls() const;

 private:
  std::string ReportOfFaults() const;

  std::atomic<int64_t> passed_{0};
  std::atomic<int64_t> failed_{0};
  std::atomic<int64_t> steps_{0};
  std::atomic<int64_t> calls_{0};
  std::atomic<int64_t> events_{0};
  std::atomic<int64_t> virtual_seconds_{0};
  std::atomic<int64_t> acknowledged_{0};
  std::atomic<int64_t> lost_state_{0};
  std::atomic<int64_t> put_{0};
  std::atomic<int64_t> taken_{0};
  std::atomic<int64_t> saved_{0};
  std::atomic<int64_t> restored_{0};
  std::atomic<int64_t> resets_{0};
  std::atomic<int64_t> least_steps_{INT64_MAX};
  std::atomic<int64_t> least_troubles_{INT64_MAX};
  std::atomic<int64_t> seeds_with_[kNumTroubles] = {};
  std::atomic<int64_t> counts_[kNumTroubles][kNumMethods + 1] = {};
};

}  // namespace millrace::sim
