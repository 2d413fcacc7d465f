// millrace_sim: runs clusters in simulated time under faults.
#include <cstdio>
#include <string>

#include "absl/strings/numbers.h"
#include "millrace/base/log.h"
#include "tests/simulation/seed_runner.h"
#include "tests/simulation/sim_cluster.h"

namespace millrace::sim {
namespace {

constexpr char kHelp[] =
    "millrace_sim [--training] [--seeds N] [--first S] | [--seed S]\n"
    "\n"
    "Runs a cluster of 2 ps and 2 workers with 2 clients in simulated time,\n"
    "under faults. Every seed runs twice and must give the same hash.\n"
    "\n"
    "  --training      another cluster: 1 ps, and 3 replicas that train\n"
    "  --seeds N       seeds S to S + N - 1 (100)\n"
    "  --first S       the first of them (1)\n"
    "  --jobs J        processes that share the seeds (one a core)\n"
    "  --find          stop at the first seed that fails; run each once\n"
    "  --seed S        one seed, twice, with the log of its first run\n";

int Usage(const std::string& problem) {
  std::fprintf(stderr, "%s\n\n%s", problem.c_str(), kHelp);
  return 2;
}

int RunOne(Scenario scenario, uint64_t seed) {
  const SeedResult r = RunScenario(scenario, seed, true);
  std::printf("%s\n", r.sim.Report().c_str());
  std::printf("%lld steps, %lld acknowledged, %lld calls\n",
              static_cast<long long>(r.steps),
              static_cast<long long>(r.acknowledged),
              static_cast<long long>(r.calls));
  for (int t = 0; t < kNumTroubles; ++t) {
    if (const int64_t n = r.troubles.count(t)) {
      std::printf("  %-16s %lld\n",
                  TroubleName(static_cast<Trouble>(t)).c_str(),
                  static_cast<long long>(n));
    }
  }
  bool passed = r.sim.status.ok();
  if (passed && RunScenario(scenario, seed, false).sim.hash != r.sim.hash) {
    std::printf("hash: the second run has another hash of events\n");
    passed = false;
  }
  std::printf("%d passed, %d failed\n", passed ? 1 : 0, passed ? 0 : 1);
  return passed ? 0 : 1;
}

int Main(int argc, char** argv) {
  SeedRange range;
  int64_t first = 1, one = -1, jobs = 0;
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    if (flag == "--help") {
      std::fputs(kHelp, stdout);
      return 0;
    }
    if (flag == "--find") {
      range.only_one = true;
      range.twice = false;
      continue;
    }
    if (flag == "--training") {
      range.scenario = Scenario::kTraining;
      continue;
    }
    if (i + 1 == argc)
      return Usage("'" + flag + "' has no value, or is unknown");
    const std::string value = argv[++i];
    int64_t* number = flag == "--seeds"   ? &range.count
                      : flag == "--first" ? &first
                      : flag == "--seed"  ? &one
                      : flag == "--jobs"  ? &jobs
                                          : nullptr;
    if (number == nullptr) return Usage("unknown flag '" + flag + "'");
    if (!absl::SimpleAtoi(value, number) || *number < 0) {
      return Usage(flag + " wants a number, got '" + value + "'");
    }
  }
  // Built outside, so that no simulation is the first to build them.
  Ops();
  Kernels();
  if (one >= 0) return RunOne(range.scenario, static_cast<uint64_t>(one));
  range.first = static_cast<uint64_t>(first);
  range.jobs = static_cast<int>(jobs);
  return RunSeeds(range);
}

}  // namespace
}  // namespace millrace::sim

int main(int argc, char** argv) { return millrace::sim::Main(argc, argv); }
