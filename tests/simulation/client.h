// Client: what a client of the simulated cluster does, in all, with one thread.
#pragma once

#include <functional>

#include "tests/simulation/counting.h"
#include "tests/simulation/queueing.h"
#include "tests/simulation/training.h"
#include "tests/simulation/waiting.h"

namespace millrace::sim {

// Steps one after the other, each chosen by the seed: counts, queues, trains,
// saves, waits, makes errors, resets containers, opens and closes sessions.
// After an error that clients recover from it makes a new session.
class Client {
 public:
  Client(SimCluster& cluster, Verdict& verdict, int index);

  // Until `over` says so. Ends early after something that must not be.
  void RunInTrouble(const std::function<bool()>& over);
  // Without faults: until `calm_steps` in a row have succeeded and there were
  // `min_steps` in all, which must be before `limit`.
  void RunInPeace(int calm_steps, int64_t min_steps, Deadline limit);
  // After that: what it has left behind is as it should be.
  void Finish(Deadline limit);
  void CloseSession() { connection_.Drop(); }

  int64_t steps() const { return connection_.steps(); }
  const Counting& counting() const { return counting_; }
  const Queueing& queueing() const { return queueing_; }
  const Training& training() const { return training_; }
  int64_t resets() const { return resets_; }

 private:
  Status Step(bool calm);
  // A step whose graph makes an error; its session stays as it is.
  Status Break(bool calm);
  // Gives a variable in a container a value, and resets the container.
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
