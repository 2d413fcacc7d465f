// TrainingPlan: how replicas train in a seed, as the seed decides.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "millrace/train/replicas/async_replicas.h"
#include "millrace/train/replicas/sync_replicas.h"

namespace millrace::sim {

inline constexpr int kTrainingReplicas = 3;

struct TrainingPlan {
  // Within a simulation.
  static TrainingPlan Choose();
  // Returns the options in words.
  std::string ToString() const;

  // Whether an update may be less than a whole gradient.
  bool scales() const {
    return !is_sync && async.policy == train::StalenessPolicy::kScale;
  }

  bool is_sync = false;
  train::SyncReplicasOptions sync;
  train::AsyncReplicasOptions async;
  int troubles = 0;
  // After so many steps the data of each replica end; those of one never do.
  std::array<int64_t, kTrainingReplicas> most_runs = {};
};

}  // namespace millrace::sim
