// Waiting: steps that wait in a loop for what another step does, and are ended
// by it, by a cancellation, by their timeout or with their session.
#pragma once

#include "tests/simulation/connection.h"

namespace millrace::sim {

// Not thread-safe.
class Waiting {
 public:
  Waiting(Connection& connection, const ClientOps& ops)
      : connection_(connection), ops_(ops) {}

  // Runs two or three steps. If `calm`, there are no faults, and the outcome of
  // the waiting one is known.
  Status Step(bool calm);

 private:
  enum class End { kOpened, kCancelled, kTimeout, kClosed };
  void CheckOutcome(End end, const Status& status, int64_t took_ms,
                    bool opened);

  Connection& connection_;
  const ClientOps& ops_;
  int number_ = 0;
};

}  // namespace millrace::sim
