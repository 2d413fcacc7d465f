// Nemesis: makes trouble for a simulated cluster, as the seed decides.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "millrace/base/clock.h"
#include "tests/simulation/doomed_client.h"
#include "tests/simulation/faults.h"
#include "tests/simulation/sim_cluster.h"

namespace millrace::sim {

// One thread.
class Nemesis {
 public:
  Nemesis(SimCluster& cluster, Verdict& verdict, int num_clients);

  // One trouble after the other, with pauses, until `enough` says so or until
  // `limit`; then everything is healed, thawed and runs, and nothing is on its
  // way to break any more.
  void MakeTrouble(const std::function<bool()>& enough, Deadline limit);
  // With what happened to calls.
  TroubleCounts counts() const;
  bool killed_client() const;
  // The dead clients' processes go on.
  void LetGo() { doomed_.clear(); }

 private:
  void OneTrouble();
  void Kill(int task);
  void Freeze(int task, int64_t nanos);
  void KillClient();
  // Starts what is to be started again, kills a client whose time has come.
  void DoDue();
  // Two ends of connections: tasks or clients.
  std::pair<std::string, std::string> TwoEnds();
  void SetDiskErrors(bool on);
  void Heal();

  SimCluster& cluster_;
  Verdict& verdict_;
  const int num_clients_;
  std::vector<Deadline> start_at_;  // by task
  std::vector<std::unique_ptr<DoomedClient>> doomed_;
  Deadline dies_at_;  // the last of them
  TroubleCounts counts_;
  std::shared_ptr<int64_t> disk_errors_ = std::make_shared<int64_t>(0);
};

}  // namespace millrace::sim
