// Queueing: a client enqueues and dequeues in queues of every kind, one by one
// and many at once, waits for room and for elements, and checks that none is
// lost, duplicated or out of order.
#pragma once

#include <vector>

#include "tests/simulation/connection.h"
#include "tests/simulation/queue_account.h"

namespace millrace::sim {

// Not thread-safe.
class Queueing {
 public:
  Queueing(Connection& connection, const ClientOps& ops);

  // Runs a step on one of the queues, or on two at once. In peace only if it is
  // `calm`: then its outcome is known.
  Status Step(bool calm);
  // Records that the faults are over, and that nothing begun before is in
  // flight any more.
  void Rest() { at_peace_ = true; }
  // Called last, in peace: closes the queues while a dequeue waits, and
  // dequeues everything. Repeat it after an error.
  Status Finish();
  bool finished() const { return finished_; }

  // Return the numbers of elements that are known to have been enqueued and
  // dequeued.
  int64_t put() const { return put_; }
  int64_t taken() const { return taken_; }

 private:
  enum class How { kOne, kMany, kUpTo };
  enum class End { kServed, kCancelled, kTimeout, kClosed };
  struct Tracked {
    const QueueOps* ops;
    QueueAccount account;
  };
  // A step that was begun, and its outcome.
  struct Taking {
    How how = How::kOne;
    int64_t n = 1;
    QueueAccount::Take take;
    bool in_vain = false;  // if it fails it has taken nothing
    StatusOr<std::vector<Tensor>> got = Internal("not run");
  };
  struct Putting {
    std::vector<int64_t> numbers;
    int life = 0;
    size_t most = SIZE_MAX;  // only the first `most` are enqueued
    Status status;
  };

  int life(const Tracked& t) const;
  // Chooses one of them, in the current incarnation of its task.
  Tracked& Choose();

  Status Put(Tracked& t, int64_t count);
  Status TakeSome(Tracked& t, How how, int64_t n);
  Status LookAtSize(Tracked& t);
  Status Close(Tracked& t);
  Status WaitToTake(Tracked& t);
  Status WaitToPut(Tracked& t);
  // Asks for all sizes, then dequeues everything.
  Status Empty();
  Status TakeAll(const std::vector<int64_t>& sizes);

  Taking BeginTake(Tracked& t, How how, int64_t n);
  void Run(const Tracked& t, Session& session, const RunLimits& limits,
           Taking* taking);
  void Tell(Tracked& t, const Taking& taking);
  Putting BeginPut(Tracked& t, int64_t count);
  void Run(const Tracked& t, Session& session, const RunLimits& limits,
           Putting* putting);
  void Tell(Tracked& t, const Putting& putting);
  // Runs `waits` in a thread of its own, and ends it here. Returns the error of
  // `serve`.
  using Waits = absl::FunctionRef<void(Session&, const RunLimits&)>;
  Status Meanwhile(End end, Waits waits,
                   absl::FunctionRef<Status(Session&)> serve);
  // Fails the run if a waiting step has not ended as it must without faults.
  void CheckEnd(const char* what, End end, const Status& status);
  void Check(const Status& status);
  // Marks the contents of the queues as uncertain: from `ms` on, everything is
  // dequeued before any other step.
  void Unsettle(int64_t ms);

  Connection& connection_;
  std::vector<Tracked> queues_;
  bool at_peace_ = false;
  bool settled_ = false;
  bool finished_ = false;
  Deadline settle_from_ = Deadline::At(0);
  int64_t put_ = 0;
  int64_t taken_ = 0;
};

}  // namespace millrace::sim
