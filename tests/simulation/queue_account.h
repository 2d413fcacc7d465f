// QueueAccount: which elements a queue may hold and which it must, as far as
// the outcomes of steps tell.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "millrace/base/status.h"
#include "tests/simulation/queue_ops.h"

namespace millrace::sim {

// One client alone puts in and takes out, and never runs two dequeues at once;
// others may wait for elements and let them go again. Each life of the task
// that holds the queue begins with an empty, open one. A step takes effect in
// the lives between its beginning and its end; of those of unknown outcome it
// is not known whether they have had their effect, or whether they will.
//
// What gives a status says what must not be, with "queue:" in front. One
// thread.
class QueueAccount {
 public:
  // Elements have the numbers `first`, `first` + 1 and so on.
  QueueAccount(QueueKind kind, int64_t first) : kind_(kind), next_(first) {}

  // The task is in this life now.
  void Enter(int life);

  // New elements; an enqueue of them begins. They go in in this order.
  std::vector<int64_t> Begin(int64_t count);
  // How an enqueue ended that began in the life `from`: all are in; each may be
  // in or go in later; none is in or ever will be.
  Status PutIn(const std::vector<int64_t>& numbers, int from);
  void MaybeIn(const std::vector<int64_t>& numbers);
  void NotIn(const std::vector<int64_t>& numbers);

  // A dequeue, with what was so when it began.
  struct Take {
    int64_t tick = 0;
    int life = 0;
  };
  Take BeginTake();
  // How it ended: with these elements; with the end of a closed queue that had
  // fewer than `n`; with `n` of them taken, or not, or later.
  Status TakenOut(const std::vector<int64_t>& numbers, const Take& take);
  Status Ended(int64_t n, const Take& take);
  void MaybeTaken(int64_t n);

  // A close that began in the life `from` has ended: for sure, or maybe.
  void Closed(int from, bool sure);
  // A step that began in the life `from` has seen that the queue is closed.
  Status SeenClosed(int from);
  // One that began in the life `from` has seen that it is open.
  Status SeenOpen(int from);
  // For sure.
  bool closed() const { return closed_life_ == life_; }

  // No more elements are in it than this; and it is known for sure what they
  // are, unless somebody else has some for a while.
  int64_t most() const;
  bool exact() const;
  // A size that was seen.
  Status CheckSize(int64_t size, int from) const;
  // Nothing is on its way any more, and everything that there was was taken
  // out: from here on it is exact.
  Status Emptied();

 private:
  enum class State { kMaybe, kIn, kNever, kOut };
  struct Element {
    State state = State::kMaybe;
    int first_life = 0;  // it was in it in one of these
    int last_life = 0;
    int64_t begun = 0;       // when its enqueue began
    int64_t in = INT64_MAX;  // and when it was known to be in
  };
  // It is in the queue if nobody of whom nothing is known has taken it.
  bool Sure(const Element& e) const {
    return e.state == State::kIn && e.first_life == life_ &&
           e.last_life == life_;
  }
  int64_t doubts() const;
  // More elements are missing than may have been taken.
  Status CheckLoss(int64_t left, const char* when) const;
  Status CheckOrder(int64_t number, const Element& e, const Take& take) const;

  const QueueKind kind_;
  int64_t next_;
  int life_ = 0;
  int64_t tick_ = 0;
  std::map<int64_t, Element> elements_;
  std::map<int, int64_t> doubts_;  // of how many, by the last life
  int64_t newest_out_ = 0;         // the largest number that came out
  int closed_life_ = -1;           // closed for sure
  int maybe_closed_life_ = -1;     // the last in which it may be
};

}  // namespace millrace::sim
