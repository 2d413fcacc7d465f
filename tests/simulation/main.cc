// millrace_sim: runs clusters in simulated time under faults.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "absl/strings/numbers.h"
#include "millrace/base/log.h"
#include "tests/simulation/run_seed.h"

namespace millrace::sim {
namespace {

constexpr char kHelp[] =
    "millrace_sim [--seeds N] [--first S] | [--seed S]\n"
    "\n"
    "Runs a cluster of 2 ps and 2 workers with 2 clients in simulated time,\n"
    "under faults. Every seed runs twice and must give the same hash.\n"
    "\n"
    "  --seeds N     seeds S to S + N - 1 (100)\n"
    "  --first S     the first of them (1)\n"
    "  --seed S      one seed, with its log\n"
    "  --workload W  counters (the only one)\n";

int Usage(const std::string& problem) {
  std::fprintf(stderr, "%s\n\n%s", problem.c_str(), kHelp);
  return 2;
}

int RunOne(uint64_t seed) {
  const SeedResult r = RunSeed(seed, true);
  std::printf("%s\n", r.sim.Report().c_str());
  std::printf("%lld steps, %lld acknowledged, %lld calls\n",
              static_cast<long long>(r.steps),
              static_cast<long long>(r.acknowledged),
              static_cast<long long>(r.calls));
  for (const auto& [name, n] : r.faults) {
    std::printf("  %-16s %lld\n", name.c_str(), static_cast<long long>(n));
  }
  std::printf("%d passed, %d failed\n", r.sim.status.ok() ? 1 : 0,
              r.sim.status.ok() ? 0 : 1);
  return r.sim.status.ok() ? 0 : 1;
}

int RunMany(uint64_t first, int64_t seeds) {
  int64_t passed = 0, failed = 0, steps = 0, lost = 0;
  FaultCounts faults, seeds_with;
  for (int64_t i = 0; i < seeds; ++i) {
    const uint64_t seed = first + static_cast<uint64_t>(i);
    const SeedResult r = RunSeed(seed, false);
    std::string problem;
    if (!r.sim.status.ok()) {
      problem = r.sim.status.ToString();
    } else if (const SeedResult again = RunSeed(seed, false);
               again.sim.hash != r.sim.hash) {
      problem = "the second run has another hash";
    }
    if (problem.empty()) {
      ++passed;
    } else {
      ++failed;
      std::printf("seed %llu: %s\n  again: ./dev sim --seed %llu\n",
                  static_cast<unsigned long long>(seed), problem.c_str(),
                  static_cast<unsigned long long>(seed));
      std::fflush(stdout);
    }
    steps += r.steps;
    lost += r.lost_state;
    for (const auto& [name, n] : r.faults) {
      faults[name] += n;
      ++seeds_with[name];
    }
  }
  std::printf("%lld steps, %lld times a ps had lost its state\n",
              static_cast<long long>(steps), static_cast<long long>(lost));
  for (const auto& [name, n] : faults) {
    std::printf("  %-16s %8lld in %lld seeds\n", name.c_str(),
                static_cast<long long>(n),
                static_cast<long long>(seeds_with[name]));
  }
  std::printf("%lld passed, %lld failed\n", static_cast<long long>(passed),
              static_cast<long long>(failed));
  return failed > 0 ? 1 : 0;
}

int Main(int argc, char** argv) {
  int64_t seeds = 100, first = 1, one = -1;
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    if (flag == "--help") {
      std::fputs(kHelp, stdout);
      return 0;
    }
    if (i + 1 == argc)
      return Usage("'" + flag + "' has no value, or is unknown");
    const std::string value = argv[++i];
    if (flag == "--workload") {
      if (value != "counters") return Usage("no workload '" + value + "'");
      continue;
    }
    int64_t* number = flag == "--seeds"   ? &seeds
                      : flag == "--first" ? &first
                      : flag == "--seed"  ? &one
                                          : nullptr;
    if (number == nullptr) return Usage("unknown flag '" + flag + "'");
    if (!absl::SimpleAtoi(value, number) || *number < 0) {
      return Usage(flag + " wants a number, got '" + value + "'");
    }
  }
  // Built outside, so that no simulation is the first to make them.
  Ops();
  Kernels();
  return one >= 0 ? RunOne(static_cast<uint64_t>(one))
                  : RunMany(static_cast<uint64_t>(first), seeds);
}

}  // namespace
}  // namespace millrace::sim

int main(int argc, char** argv) { return millrace::sim::Main(argc, argv); }
