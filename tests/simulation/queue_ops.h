// QueueOps: a queue of a client of the simulation, the ops on it, and the form
// of its elements.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "millrace/client/queues.h"
#include "millrace/client/session.h"

namespace millrace::sim {

enum class QueueKind { kFifo, kShuffle, kPadding, kPriority };
inline constexpr int kNumQueueKinds = 4;
// Capacity of a queue. Small, so that enqueues wait.
inline constexpr int64_t kQueueCapacity = 5;

// Every element is a number that is unique in the run, in a form that depends
// on the kind of queue: in a padding queue a vector of some equal numbers, in a
// priority queue also a priority derived from the number.
int64_t PriorityOf(int64_t number);

struct QueueOps {
  QueueKind kind = QueueKind::kFifo;
  int ps = 0;
  Queue queue;
  std::vector<Output> element, rows;  // fed: the elements to enqueue
  Operation put, put_rows;
  Output n;  // fed: the number to dequeue
  std::vector<Output> taken, taken_rows, taken_up_to;
  Operation close, close_cancelling;
  Output size, is_closed;
};

// Builds the ops. All graphs with the same owner and kind share the queue.
// `scope` has the device of `ps`.
QueueOps MakeQueueOps(const Scope& scope, int owner, QueueKind kind, int ps);

std::vector<Feed> FeedElement(const QueueOps& ops, int64_t number);
std::vector<Feed> FeedRows(const QueueOps& ops,
                           const std::vector<int64_t>& numbers);
// Returns the elements of a dequeue (`rows`: of several). -1 stands for a value
// that is not an element.
std::vector<int64_t> NumbersOf(const QueueOps& ops,
                               absl::Span<const Tensor> components, bool rows);

}  // namespace millrace::sim
