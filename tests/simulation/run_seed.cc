#include "tests/simulation/run_seed.h"

#include <memory>
#include <vector>

#include "tests/simulation/counters.h"

namespace millrace::sim {
namespace {

constexpr int kPs = 2;
constexpr int kClients = 2;
constexpr int kCalmSteps = 20;
constexpr int64_t kTroubleMs = 30'000;
// After the faults end: frozen tasks thaw, sessions are made anew.
constexpr int64_t kRecoveryMs = 120'000;

}  // namespace

SeedResult RunSeed(uint64_t seed, bool verbose) {
  SeedResult result;
  // Shared with the run's threads, which a failed run leaves behind.
  struct Outcome {
    Status status;
    SeedResult seed;
  };
  auto outcome = std::make_shared<Outcome>();
  SimOptions options;
  options.seed = seed;
  options.log_to_stderr = verbose;
  options.max_events = 5'000'000;
  result.sim = SimWorld(options).Run([outcome] {
    SimCluster cluster(kPs, kClients);
    for (int i = 0; i < cluster.num_tasks(); ++i) cluster.Start(i);
    const Deadline faults_end = Deadline::AfterMillis(kTroubleMs);
    const Deadline limit = Deadline::AfterMillis(kTroubleMs + kRecoveryMs);
    std::vector<CounterResult> counted(kClients);
    std::vector<Thread> threads;
    for (int i = 0; i < kClients; ++i) {
      const SimProcess process =
          SimWorld::Current()->AddProcess(absl::StrCat("client", i));
      SimProcessScope scope(process);
      threads.emplace_back(absl::StrCat("client", i), [&, i] {
        counted[i] = Count(cluster, i, kPs, faults_end, kCalmSteps, limit);
      });
    }
    outcome->seed.faults = MakeTrouble(cluster, faults_end);
    for (Thread& thread : threads) thread.Join();
    for (const CounterResult& c : counted) {
      UpdateStatus(outcome->status, c.status);
      outcome->seed.steps += c.steps;
      outcome->seed.acknowledged += c.acknowledged;
      outcome->seed.lost_state += c.lost_state;
    }
    outcome->seed.calls = cluster.network().calls();
    for (int f = 0; f < kNumFaults; ++f) {
      const auto fault = static_cast<Fault>(f);
      if (const int64_t n = cluster.network().count(fault)) {
        outcome->seed.faults[std::string(FaultName(fault))] += n;
      }
    }
    RecordEvent(absl::StrCat("acknowledged ", outcome->seed.acknowledged));
  });
  SimResult sim = std::move(result.sim);
  result = outcome->seed;
  result.sim = std::move(sim);
  if (result.sim.status.ok()) result.sim.status = outcome->status;
  return result;
}

}  // namespace millrace::sim
