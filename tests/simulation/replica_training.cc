#include "tests/simulation/replica_training.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <vector>

#include "millrace/base/log.h"
#include "tests/simulation/training_plan.h"
#include "tests/simulation/training_replica.h"

namespace millrace::sim {
namespace {

constexpr int kPsOfTraining = 1;
constexpr uint64_t kTrainingPauseMs = 250;
constexpr uint64_t kTrainingDownMs = 4'000;
constexpr uint64_t kTrainingSilenceMs = 6'000;
constexpr int64_t kNanosOfMilli = 1'000'000;
// Virtual time that a switch of threads takes: steps take time.
constexpr int64_t kTrainingSwitchNanos = 400'000;
constexpr std::array<double, 4> kTrainingLockSwitches = {0.005, 0.02, 0.05,
                                                         0.1};

void PauseUpTo(uint64_t ms) {
  SleepUntil(Deadline::AfterMillis(static_cast<int64_t>(SimRandom(ms))));
}

using Replicas = std::vector<std::unique_ptr<TrainingReplica>>;

// Injects one fault and waits for its end.
void TroubleReplicas(SimCluster& cluster, Replicas& replicas,
                     TroubleCounts* counts) {
  const auto index = static_cast<int>(SimRandom(kTrainingReplicas));
  TrainingReplica& replica = *replicas[static_cast<size_t>(index)];
  const int worker = cluster.worker(index);
  const auto restart = [&](int task) {
    MR_LOG(Info) << "trouble: kill " << cluster.name(task).ToString();
    cluster.Kill(task);
    counts->Add(Trouble::kKill);
    PauseUpTo(kTrainingDownMs);
    cluster.Start(task);
  };
  switch (SimRandom(5)) {
    case 0:
      restart(worker);
      break;
    case 1:
      restart(0);
      break;
    case 2:
    case 3: {  // the program goes with its worker, and comes again
      if (!replica.Lose()) break;
      counts->Add(Trouble::kClientKill);
      restart(worker);
      replica.Revive();
      break;
    }
    default: {
      const int task = SimRandom(2) == 0 ? worker : 0;
      const auto ms = static_cast<int64_t>(SimRandom(kTrainingSilenceMs));
      MR_LOG(Info) << "trouble: freeze " << cluster.name(task).ToString()
                   << " for " << ms << " ms";
      cluster.FreezeFor(task, ms * kNanosOfMilli);
      counts->Add(Trouble::kFreeze);
      SleepUntil(Deadline::AfterMillis(ms));
    }
  }
}

// What a training without faults gives exactly.
Status CheckUntroubled(const TrainingPlan& plan, const ReplicaDeeds& all,
                       int64_t leavers, const TrainedModel& model) {
  if (!plan.is_sync) {
    if (all.applied == model.global_step) return OkStatus();
    return Internal("effect: ", all.applied, " gradients were applied, and ",
                    model.global_step, " updates counted");
  }
  const int64_t needed = plan.sync.gradients_per_step * model.global_step;
  if (all.runs < needed) {
    return Internal("effect: ", model.global_step, " updates took ", needed,
                    " gradients, and there were ", all.runs);
  }
  // The last update may have been ended before it handed out its tokens.
  const int64_t tokens = plan.sync.gradients_per_step +
                         plan.sync.replicas * model.global_step + leavers -
                         all.runs;
  if (all.replaced_tokens == 0 &&
      (model.tokens == tokens || model.tokens == tokens - plan.sync.replicas)) {
    return OkStatus();
  }
  return Internal("token: ", model.tokens, " are left of ", tokens, ", and ",
                  all.replaced_tokens, " were handed out again");
}

Status CheckTrained(SimCluster& cluster, const TrainingPlan& plan,
                    const Replicas& replicas, int64_t troubles,
                    SeedResult* result) {
  ReplicaDeeds all;
  int64_t leavers = 0;
  for (const auto& replica : replicas) {
    const ReplicaDeeds& deeds = replica->deeds();
    all.runs += deeds.runs;
    all.applied += deeds.applied;
    all.replaced_tokens += deeds.replaced_tokens;
    all.greatest_applied =
        std::max(all.greatest_applied, deeds.greatest_applied);
    leavers += deeds.runs > 0 ? 1 : 0;
  }
  MR_ASSIGN_OR_RETURN(const TrainedModel model, ReadTrainedModel(cluster));
  result->steps = all.runs;
  result->acknowledged = model.global_step;
  // A step that is lost may have updated the weight, and not counted itself, as
  // the last one that a chief ends; so may each that a checkpoint came between.
  const int64_t torn =
      troubles * 2 * kTrainingReplicas + (plan.is_sync ? 1 : 0);
  if (!plan.scales() && std::abs(model.updates - model.global_step) > torn) {
    return Internal("effect: the global step is ", model.global_step, " after ",
                    model.updates, " updates");
  }
  if (!plan.is_sync && plan.async.max_staleness) {
    const int64_t bound = *plan.async.max_staleness;
    const bool exact = plan.async.updates == train::Updates::kOneByOne;
    if (all.greatest_applied > bound || (exact && model.most_missed > bound)) {
      return Internal("stale: a gradient was applied after ",
                      std::max(all.greatest_applied, model.most_missed),
                      " updates, allowed are ", bound);
    }
  }
  if (troubles > 0) return OkStatus();
  // A chief that was lost while it initialized does so again, whatever the
  // others have trained.
  if (model.global_step < kLastTrainingStep) {
    return Internal("end: the training ended at step ", model.global_step,
                    " of ", kLastTrainingStep);
  }
  if (!plan.is_sync && plan.async.max_ahead && !plan.scales() &&
      plan.async.updates == train::Updates::kOneByOne) {
    const int64_t bound =
        (2 * *plan.async.max_ahead + 1) * (kTrainingReplicas - 1);
    if (model.most_missed > bound) {
      return Internal("stale: a gradient missed ", model.most_missed,
                      " updates, with replicas at most ", *plan.async.max_ahead,
                      " ahead it may miss ", bound);
    }
  }
  return CheckUntroubled(plan, all, leavers, model);
}

void TrainReplicas(Verdict& verdict, SeedResult* result) {
  const TrainingPlan plan = TrainingPlan::Choose();
  MR_LOG(Info) << plan.ToString();
  SimCluster cluster(kPsOfTraining, kTrainingReplicas);
  for (int i = 0; i < cluster.num_tasks(); ++i) cluster.Start(i);
  ChiefLine line;
  Replicas replicas;
  std::vector<Thread> threads;
  for (int i = 0; i < kTrainingReplicas; ++i) {
    const std::string name = absl::StrCat("replica", i);
    SimProcessScope scope(SimWorld::Current()->AddProcess(name));
    replicas.push_back(
        std::make_unique<TrainingReplica>(cluster, verdict, line, plan, i));
    threads.emplace_back(
        name, [replica = replicas.back().get()] { replica->Live(); });
  }
  int64_t troubles = 0;
  for (int i = 0; i < plan.troubles && verdict.ok(); ++i) {
    PauseUpTo(kTrainingPauseMs);
    // Whoever has ended leaves the rest in peace: what it knew of a lost ps
    // would be missing.
    const bool all_train =
        std::all_of(replicas.begin(), replicas.end(),
                    [](const auto& replica) { return replica->trains(); });
    if (!all_train) break;
    TroubleReplicas(cluster, replicas, &result->troubles);
    ++troubles;
  }
  for (Thread& thread : threads) thread.Join();
  const Status checked =
      CheckTrained(cluster, plan, replicas, troubles, result);
  if (!checked.ok() && verdict.ok())
    verdict.Fail(Prefix(absl::StrCat(plan.ToString(), ": "), checked));
  result->calls = cluster.network().calls();
  RecordEvent(absl::StrCat("updates ", result->acknowledged));
}

}  // namespace

SeedResult RunTrainingSeed(uint64_t seed, bool verbose) {
  SimOptions options;
  options.seed = seed;
  options.nanos_per_switch = kTrainingSwitchNanos;
  options.lock_switch_probability =
      kTrainingLockSwitches[seed % kTrainingLockSwitches.size()];
  return RunWorld(options, verbose, TrainReplicas);
}

}  // namespace millrace::sim
