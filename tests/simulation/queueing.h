// Queueing: a client puts elements in queues of every kind and takes them out,
// one by one and many at once, waits for room and for elements, and checks that
// none is lost, doubled or out of order.
#pragma once

#include <vector>

#include "tests/simulation/connection.h"
#include "tests/simulation/queue_account.h"

namespace millrace::sim {

// One thread.
class Queueing {
 public:
  Queueing(Connection& connection, const ClientOps& ops);

  // A step on one of the queues, or two at once. In peace only if it is `calm`:
  // then it is known how they end.
  Status Step(bool calm);
  // The faults are over, and what was begun before is not on its way any more.
  void Rest() { at_peace_ = true; }
  // In peace, as the last: closes the queues while a dequeue waits, and takes
  // everything out. Again after an error.
  Status Finish();
  bool finished() const { return finished_; }

  // Elements that are known to have been put in and taken out.
  int64_t put() const { return put_; }
  int64_t taken() const { return taken_; }

 private:
  enum class How { kOne, kMany, kUpTo };
  enum class End { kServed, kCancelled, kTimeout, kClosed };
  struct Tracked {
    const QueueOps* ops;
    QueueAccount account;
  };
  // What was begun, and how it ended.
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
    size_t most = SIZE_MAX;  // no more than the first ones go in
    Status status;
  };

  int life(const Tracked& t) const;
  // One of them, in the life that its task has now.
  Tracked& Choose();

  Status Put(Tracked& t, int64_t count);
  Status TakeSome(Tracked& t, How how, int64_t n);
  Status LookAtSize(Tracked& t);
  Status Close(Tracked& t);
  Status WaitToTake(Tracked& t);
  Status WaitToPut(Tracked& t);
  // Asks for all sizes, then takes everything out.
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
  // `waits` in a thread of its own; what ends it here. The error of `serve`.
  using Waits = absl::FunctionRef<void(Session&, const RunLimits&)>;
  Status Meanwhile(End end, Waits waits,
                   absl::FunctionRef<Status(Session&)> serve);
  // Fails the run if something that waited has not ended as it must without
  // faults.
  void CheckEnd(const char* what, End end, const Status& status);
  void Check(const Status& status);
  // What is in the queues is not known for sure: all is taken out, from `ms`
  // on, before any other step.
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
