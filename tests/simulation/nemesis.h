// Nemesis: injects faults into a simulated cluster, as the seed decides.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "millrace/base/clock.h"
#include "tests/simulation/doomed_client.h"
#include "tests/simulation/faults.h"
#include "tests/simulation/sim_cluster.h"

namespace millrace::sim {

// Not thread-safe.
class Nemesis {
 public:
  Nemesis(SimCluster& cluster, Verdict& verdict, int num_clients);

  // Injects one fault after the other, with pauses, until `enough` returns true
  // or until `limit`; then heals, thaws and restarts everything, and no fault
  // is pending any more.
  void MakeTrouble(const std::function<bool()>& enough, Deadline limit);
  // Includes the faults of calls.
  TroubleCounts counts() const;
  bool killed_client() const;
  // Lets the dead clients' processes continue.
  void LetGo() { doomed_.clear(); }

 private:
  void OneTrouble();
  void Kill(int task);
  void Freeze(int task, int64_t nanos);
  void KillClient();
  // Restarts the tasks that are due, and kills a client that is due.
  void DoDue();
  // Returns two ends of connections: tasks or clients.
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
