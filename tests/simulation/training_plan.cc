#include "tests/simulation/training_plan.h"

#include <limits>

#include "millrace/base/sim/sim.h"

namespace millrace::sim {
namespace {

constexpr int kMostTroubles = 4;
constexpr uint64_t kMostRunsOfFewData = 12;

int64_t Chosen(uint64_t n) { return static_cast<int64_t>(SimRandom(n)); }

}  // namespace

TrainingPlan TrainingPlan::Choose() {
  TrainingPlan plan;
  plan.is_sync = SimRandom(2) == 0;
  // With two gradients a step the third replica is a spare.
  plan.sync = {.gradients_per_step = 2 + Chosen(2),
               .replicas = kTrainingReplicas};
  plan.async.replicas = kTrainingReplicas;
  switch (SimRandom(4)) {
    case 0:
      plan.async.policy = train::StalenessPolicy::kScale;
      break;
    case 1:
      break;
    default:
      plan.async.policy = train::StalenessPolicy::kDrop;
      plan.async.max_staleness = Chosen(3);
  }
  if (SimRandom(3) != 0) plan.async.updates = train::Updates::kOneByOne;
  if (SimRandom(2) == 0) plan.async.max_ahead = Chosen(3);
  if (SimRandom(4) == 0) plan.async.warm_up_steps = 5;
  if (SimRandom(4) != 0) {
    plan.troubles = static_cast<int>(1 + SimRandom(kMostTroubles));
  }
  const uint64_t endless = SimRandom(kTrainingReplicas);
  for (uint64_t r = 0; r < kTrainingReplicas; ++r) {
    plan.most_runs[r] = r == endless || SimRandom(2) == 0
                            ? std::numeric_limits<int64_t>::max()
                            : 1 + Chosen(kMostRunsOfFewData);
  }
  return plan;
}

std::string TrainingPlan::ToString() const {
  if (is_sync) {
    return absl::StrCat("synchronous, ", sync.gradients_per_step, " of ",
                        sync.replicas, " gradients a step");
  }
  return absl::StrCat(
      "asynchronous, policy ", static_cast<int>(async.policy), ", bound ",
      async.max_staleness.value_or(-1), ", ",
      async.updates == train::Updates::kOneByOne ? "one by one" : "at once",
      ", ahead ", async.max_ahead.value_or(-1), ", warm-up ",
      async.warm_up_steps);
}

}  // namespace millrace::sim
