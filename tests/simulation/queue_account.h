// QueueAccount: the elements that a queue may hold and those that it must hold,
// as far as the outcomes of steps tell.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "millrace/base/status.h"
#include "tests/simulation/queue_ops.h"

namespace millrace::sim {

// One client alone enqueues and dequeues, and never runs two dequeues at once;
// other clients may wait for elements and put them back. Each incarnation of
// the task that holds the queue begins with an empty, open one. A step takes
// effect in the incarnations between its beginning and its end; steps of
// unknown outcome may have had their effect, or may have it later.
//
// Functions that return a status report violations, with the prefix "queue:".
// Not thread-safe.
class QueueAccount {
 public:
  // Elements have the numbers `first`, `first` + 1 and so on.
  QueueAccount(QueueKind kind, int64_t first) : kind_(kind), next_(first) {}

  // Records that the task is in this incarnation now.
  void Enter(int life);

  // Returns the numbers of new elements, whose enqueue begins. They are
  // enqueued in this order.
  std::vector<int64_t> Begin(int64_t count);
  // Record the end of an enqueue that began in incarnation `from`: all elements
  // are in; each may be in or be enqueued later; none is in or ever will be.
  Status PutIn(const std::vector<int64_t>& numbers, int from);
  void MaybeIn(const std::vector<int64_t>& numbers);
  void NotIn(const std::vector<int64_t>& numbers);

  // A dequeue, with the state when it began.
  struct Take {
    int64_t tick = 0;
    int life = 0;
  };
  Take BeginTake();
  // Record its end: with these elements; with the end of a closed queue that
  // had fewer than `n`; with `n` of them taken, or not, or later.
  Status TakenOut(const std::vector<int64_t>& numbers, const Take& take);
  Status Ended(int64_t n, const Take& take);
  void MaybeTaken(int64_t n);

  // Records a close that began in incarnation `from`: certainly, or maybe.
  void Closed(int from, bool sure);
  // Records that a step that began in incarnation `from` has seen that the
  // queue is closed.
  Status SeenClosed(int from);
  // Records that a step that began in incarnation `from` has seen that it is
  // open.
  Status SeenOpen(int from);
  // Returns whether it is certainly closed.
  bool closed() const { return closed_life_ == life_; }

  // Return the largest possible number of elements; and whether its elements
  // are known exactly, unless another client holds some for a while.
  int64_t most() const;
  bool exact() const;
  // Checks an observed size.
  Status CheckSize(int64_t size, int from) const;
  // Records that nothing is in flight any more, and all elements were dequeued:
  // from here on the account is exact.
  Status Emptied();

 private:
  enum class State { kMaybe, kIn, kNever, kOut };
  struct Element {
    State state = State::kMaybe;
    int first_life = 0;  // it was in the queue in one of these
    int last_life = 0;
    int64_t begun = 0;       // when its enqueue began
    int64_t in = INT64_MAX;  // and when it was known to be in
  };
  // Returns whether it must be in the queue, if no dequeue of unknown outcome
  // has taken it.
  bool Sure(const Element& e) const {
    return e.state == State::kIn && e.first_life == life_ &&
           e.last_life == life_;
  }
  int64_t doubts() const;
  // Fails if more elements are missing than may have been taken.
  Status CheckLoss(int64_t left, const char* when) const;
  Status CheckOrder(int64_t number, const Element& e, const Take& take) const;

  const QueueKind kind_;
  int64_t next_;
  int life_ = 0;
  int64_t tick_ = 0;
  std::map<int64_t, Element> elements_;
  std::map<int, int64_t> doubts_;  // how many, by the last incarnation
  int64_t newest_out_ = 0;         // the largest number that was dequeued
  int closed_life_ = -1;           // certainly closed
  int maybe_closed_life_ = -1;     // the last in which it may be closed
};

}  // namespace millrace::sim
