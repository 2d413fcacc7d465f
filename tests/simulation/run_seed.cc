#include "tests/simulation/run_seed.h"

#include <array>
#include <atomic>
#include <memory>
#include <vector>

#include "tests/simulation/client.h"
#include "tests/simulation/leftovers.h"
#include "tests/simulation/nemesis.h"

namespace millrace::sim {
namespace {

constexpr int kPs = 2;
constexpr int kWorkers = 2;
constexpr int kClients = 2;
// Steps of a client: under faults, then in peace, then in all.
constexpr int64_t kTroubledSteps = 80;
constexpr int kCalmSteps = 12;
constexpr int64_t kAllSteps = kMinSteps / kClients;
// Faults end after this time, whatever the clients have done by then.
constexpr int64_t kTroubleMs = 300'000;
// Virtual time that a switch of threads takes.
constexpr int64_t kSwitchNanos = 500'000;
// Probabilities that acquiring a lock switches threads.
constexpr std::array<double, 4> kLockSwitches = {0.005, 0.02, 0.05, 0.1};

// Lets the clients wait for each other and for the end of the faults.
struct Phases {
  std::atomic<bool> trouble_over{false};
  std::atomic<int> at_rest{0};
  std::atomic<bool> go_on{false};
  std::atomic<int> calm{0};
  std::atomic<bool> close{false};
};

void WaitFor(const std::function<bool()>& condition) {
  while (!condition()) SleepUntil(Deadline::AfterMillis(200));
}

void Live(Client& client, Verdict& verdict, Phases& phases) {
  client.RunInTrouble([&] { return phases.trouble_over.load(); });
  WaitFor([&] { return phases.trouble_over.load(); });
  client.CloseSession();
  ++phases.at_rest;
  WaitFor([&] { return phases.go_on.load(); });
  if (verdict.ok()) {
    client.RunInPeace(kCalmSteps, kAllSteps,
                      Deadline::AfterMillis(3 * kQuietMs / 2));
  }
  if (verdict.ok()) client.Finish(Deadline::AfterMillis(3 * kQuietMs));
  ++phases.calm;
  WaitFor([&] { return phases.close.load(); });
  client.CloseSession();
}

void RunCluster(Verdict& verdict, SeedResult* result) {
  SimCluster cluster(kPs, kWorkers);
  for (int i = 0; i < cluster.num_tasks(); ++i) cluster.Start(i);
  Phases phases;
  std::vector<std::unique_ptr<Client>> clients(kClients);
  std::vector<Thread> threads;
  for (int i = 0; i < kClients; ++i) {
    const SimProcess process =
        SimWorld::Current()->AddProcess(absl::StrCat("client", i));
    SimProcessScope scope(process);
    clients[i] = std::make_unique<Client>(cluster, verdict, i);
    threads.emplace_back(absl::StrCat("client", i),
                         [&, i] { Live(*clients[i], verdict, phases); });
  }
  Nemesis nemesis(cluster, verdict, kClients);
  nemesis.MakeTrouble(
      [&] {
        for (const auto& client : clients) {
          if (client->steps() < kTroubledSteps) return false;
        }
        return true;
      },
      Deadline::AfterMillis(kTroubleMs));
  phases.trouble_over = true;
  WaitFor([&] { return phases.at_rest == kClients; });
  Leftovers leftovers(cluster, verdict);
  if (verdict.ok()) leftovers.Look();
  phases.go_on = true;
  WaitFor([&] { return phases.calm == kClients; });
  if (verdict.ok()) leftovers.CheckNoSteps();
  phases.close = true;
  for (Thread& thread : threads) thread.Join();
  if (verdict.ok()) leftovers.CheckNothingAdded();
  if (verdict.ok()) leftovers.CheckAfterMasters();
  nemesis.LetGo();
  for (const auto& client : clients) {
    result->steps += client->steps();
    result->acknowledged += client->counting().acknowledged();
    result->lost_state += client->counting().lost_state();
    result->put += client->queueing().put();
    result->taken += client->queueing().taken();
    result->saved += client->training().saved();
    result->restored += client->training().restored();
    result->resets += client->resets();
  }
  result->calls = cluster.network().calls();
  result->troubles = nemesis.counts();
  RecordEvent(absl::StrCat("acknowledged ", result->acknowledged));
}

}  // namespace

SeedResult RunSeed(uint64_t seed, bool verbose) {
  SimOptions options;
  options.seed = seed;
  options.max_events = 3'000'000;
  options.nanos_per_switch = kSwitchNanos;
  // Frequent enough for races, rare enough to be cheap; seeds differ.
  options.lock_switch_probability = kLockSwitches[seed % kLockSwitches.size()];
  return RunWorld(options, verbose, RunCluster);
}

SeedResult RunWorld(SimOptions options, bool verbose,
                    void (*body)(Verdict& verdict, SeedResult* result)) {
  // Shared with the run's threads, which a failed run leaves behind.
  struct Outcome {
    Verdict verdict;
    SeedResult seed;
  };
  auto outcome = std::make_shared<Outcome>();
  options.log_to_stderr = verbose;
  if (!verbose) options.trace_limit = 0;
  SimResult sim = SimWorld(options).Run(
      [outcome, body] { body(outcome->verdict, &outcome->seed); });
  SeedResult result = outcome->seed;
  result.sim = std::move(sim);
  // The first failure is the cause of the others.
  if (Status failed = outcome->verdict.status(); !failed.ok()) {
    result.sim.status = std::move(failed);
  }
  return result;
}

}  // namespace millrace::sim
