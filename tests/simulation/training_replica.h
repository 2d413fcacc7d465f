// TrainingReplica: the program of a replica, which trains until the global step
// is enough or its data end, and may be lost and begin again.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "millrace/base/sim/sim.h"
#include "millrace/train/coordinator.h"
#include "millrace/train/session_hook.h"
#include "tests/simulation/sim_cluster.h"
#include "tests/simulation/training_plan.h"
#include "tests/simulation/verdict.h"

namespace millrace::sim {

// The global step at which a training ends.
inline constexpr int64_t kLastTrainingStep = 60;

// Says which of the replicas that run is the chief: the one that has run for
// longest, as if it were the next in a line. Thread-safe.
class ChiefLine {
 public:
  void Begin(int replica);
  void End(int replica);
  bool IsChief(int replica) const;

 private:
  mutable Mutex mu_;
  std::vector<int> line_;  // guarded by mu_
};

// What a replica's programs did, the lost ones included.
struct ReplicaDeeds {
  int64_t runs = 0;  // that returned
  int64_t applied = 0;
  int64_t replaced_tokens = 0;
  int64_t greatest_applied = 0;  // staleness
};

class TrainingReplica {
 public:
  TrainingReplica(SimCluster& cluster, Verdict& verdict, ChiefLine& line,
                  const TrainingPlan& plan, int index);

  // Runs programs until one ends that was not lost.
  void Live();
  // Called by another thread: loses the program that runs. Returns false if
  // none does. `Revive` lets the next one begin.
  bool Lose();
  void Revive();
  bool trains() const;
  const ReplicaDeeds& deeds() const { return deeds_; }  // after Live

 private:
  void RunProgram(train::Coordinator& coordinator);
  Status RunSync(train::Coordinator& coordinator);
  Status RunAsync(train::Coordinator& coordinator);
  struct Graph;
  Status Train(Graph& graph, train::SessionHook& hook,
               train::Coordinator& coordinator);

  SimCluster& cluster_;
  Verdict& verdict_;
  ChiefLine& line_;
  const TrainingPlan& plan_;
  const int index_;
  ReplicaDeeds deeds_;

  mutable Mutex mu_;  // guards all below
  CondVar changed_;
  train::Coordinator* running_ = nullptr;
  bool lost_ = false;     // the program that runs
  bool revived_ = false;  // the next one may begin
};

// What is on the ps in the end.
struct TrainedModel {
  int64_t global_step = 0;
  int64_t updates = 0;      // by the weight
  int64_t most_missed = 0;  // updates, by a gradient that was applied
  int64_t tokens = 0;       // of synchronous training, that nobody has taken
};
StatusOr<TrainedModel> ReadTrainedModel(SimCluster& cluster);

}  // namespace millrace::sim
