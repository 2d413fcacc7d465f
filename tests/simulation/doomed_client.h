// DoomedClient: a client that dies in the middle of a step that waits.
#pragma once

#include <string>

#include "millrace/base/threads/cancel.h"
#include "tests/simulation/waiting.h"

namespace millrace::sim {

// Lives in a simulated process of its own. Die and the destructor are called
// by one thread.
class DoomedClient {
 public:
  // `index` must differ from those of all other clients.
  DoomedClient(SimCluster& cluster, Verdict& verdict, int index);
  // Lets the process continue, after all checks.
  ~DoomedClient();
  DoomedClient(const DoomedClient&) = delete;
  DoomedClient& operator=(const DoomedClient&) = delete;

  // Returns whether it is in the middle of a step.
  bool waits() const { return waits_; }
  // Dies as if by kill -9: it does nothing any more, and its connections break.
  void Die();
  bool dead() const { return dead_; }

 private:
  void Live();

  SimCluster& cluster_;
  const std::string name_;
  const SimProcess process_;
  Verdict& verdict_;
  Verdict own_verdict_;  // ignored: the client is frozen for long
  std::atomic<bool> waits_{false};
  std::atomic<bool> dead_{false};
  CancelScope over_;  // the run is over, and waiting steps must end
  const int index_;
  Thread thread_;
};

}  // namespace millrace::sim
