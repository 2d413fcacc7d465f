// QueueOps: a queue of a client of the simulation, what is done with it, and
// what its elements look like.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "millrace/client/queues.h"
#include "millrace/client/session.h"

namespace millrace::sim {

enum class QueueKind { kFifo, kShuffle, kPadding, kPriority };
inline constexpr int kNumQueueKinds = 4;
// Elements of a queue. Small, so that enqueues wait.
inline constexpr int64_t kQueueCapacity = 5;

// Every element is a number that no other element of the run has, in a form
// that depends on the kind of queue: in a padding queue a vector of some equal
// numbers, in a priority queue also a priority that follows from the number.
int64_t PriorityOf(int64_t number);

struct QueueOps {
  QueueKind kind = QueueKind::kFifo;
  int ps = 0;
  Queue queue;
  std::vector<Output> element, rows;  // fed: what is put in
  Operation put, put_rows;
  Output n;  // fed: how many are taken
  std::vector<Output> taken, taken_rows, taken_up_to;
  Operation close, close_cancelling;
  Output size, is_closed;
};

// In all graphs that say the same owner and kind it is the same queue. `scope`
// has the device of `ps`.
QueueOps MakeQueueOps(const Scope& scope, int owner, QueueKind kind, int ps);

std::vector<Feed> FeedElement(const QueueOps& ops, int64_t number);
std::vector<Feed> FeedRows(const QueueOps& ops,
                           const std::vector<int64_t>& numbers);
// The elements that a dequeue gave (`rows`: one of several). -1 stands for
// something that is no element.
std::vector<int64_t> NumbersOf(const QueueOps& ops,
                               absl::Span<const Tensor> components, bool rows);

}  // namespace millrace::sim
