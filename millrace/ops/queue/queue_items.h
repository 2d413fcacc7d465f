// QueueItems: where the elements of a queue lie, and which goes out next.
#pragma once

#include <memory>
#include <vector>

#include "millrace/ops/queue/queue_batch.h"

namespace millrace::ops {

// Guarded by the queue's mutex.
class QueueItems {
 public:
  virtual ~QueueItems() = default;
  virtual int64_t size() const = 0;
  virtual void Push(QueueTuple element) = 0;
  // Rows [begin, end) of a batch, in order. RESOURCE_EXHAUSTED, none pushed.
  virtual Status PushRows(const QueueTuple& batch, int64_t begin,
                          int64_t end) = 0;
  // Adds the next `n` <= size() elements to `out`.
  virtual void Take(int64_t n, std::vector<QueueRun>* out) = 0;
  // Takes back what was taken last, as if it had never gone, as far as the
  // kind of queue has an order.
  virtual void PutBack(std::vector<QueueRun> taken) = 0;
};

// First in, first out. Batches stay whole until they are taken, so a scalar
// costs its own bytes.
std::unique_ptr<QueueItems> MakeFifoItems();
// Uniformly by chance, by TensorFlow's rule: a number of Philox with these
// seeds modulo the size is the place; the last element moves there. Both seeds
// 0: by chance.
std::unique_ptr<QueueItems> MakeShuffledItems(int64_t seed, int64_t seed2);
// The smallest of component 0, an int64 scalar; equal ones in the order that
// the standard library's heap gives them (as stock).
std::unique_ptr<QueueItems> MakePriorityItems();

}  // namespace millrace::ops
