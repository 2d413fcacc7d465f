// Client: everything that a client of the simulated cluster does, in one
// thread.
#pragma once

#include <functional>

#include "tests/simulation/counting.h"
#include "tests/simulation/queueing.h"
#include "tests/simulation/training.h"
#include "tests/simulation/waiting.h"

namespace millrace::sim {

// Runs steps one after the other, each chosen by the seed: it counts, uses
// queues, trains, saves, waits, causes errors, resets containers, opens and
// closes sessions. After a recoverable error it creates a new session.
class Client {
 public:
  Client(SimCluster& cluster, Verdict& verdict, int index);

  // Runs steps until `over` returns true. Ends early after a violation.
  void RunInTrouble(const std::function<bool()>& over);
  // Runs steps without faults: until `calm_steps` in a row have succeeded and
  // there were `min_steps` in all, which must happen before `limit`.
  void RunInPeace(int calm_steps, int64_t min_steps, Deadline limit);
  // Checks, after that, the state that it leaves behind.
  void Finish(Deadline limit);
  void CloseSession() { connection_.Drop(); }

  int64_t steps() const { return connection_.steps(); }
  const Counting& counting() const { return counting_; }
  const Queueing& queueing() const { return queueing_; }
  const Training& training() const { return training_; }
  int64_t resets() const { return resets_; }

 private:
  Status Step(bool calm);
  // Runs a step whose graph causes an error; its session stays usable.
  Status Break(bool calm);
  // Sets a variable in a container, and resets the container.
  Status ResetContainer();

  SimCluster& cluster_;
  Verdict& verdict_;
  const ClientOps ops_;
  Connection connection_;
  Counting counting_;
  Queueing queueing_;
  Training training_;
  Waiting waiting_;
  int number_ = 0;  // of values of the variable in a container
  int64_t resets_ = 0;
};

}  // namespace millrace::sim
