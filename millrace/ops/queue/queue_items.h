// QueueItems: holds the elements of a queue, and decides which is taken next.
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
  // Returns RESOURCE_EXHAUSTED, having pushed nothing, if memory runs out.
  virtual Status Push(QueueTuple element) = 0;
  // Pushes rows [begin, end) of a batch in order. Returns RESOURCE_EXHAUSTED,
  // having pushed none, if memory runs out.
  virtual Status PushRows(const QueueTuple& batch, int64_t begin,
                          int64_t end) = 0;
  // Appends the next `n` <= size() elements to `out` and removes them.
  virtual void Take(int64_t n, std::vector<QueueRun>* out) = 0;
  // Puts back the elements that were taken last, as if they had never been
  // taken, as far as the kind of queue has an order.
  virtual void PutBack(std::vector<QueueRun> taken) = 0;
};

// First in, first out. Batches stay whole until they are taken, so an element
// takes only the memory of its own bytes.
std::unique_ptr<QueueItems> MakeFifoItems();
// Uniformly random, by TensorFlow's rule: the position is a Philox number with
// these seeds modulo the size; the last element moves there. If both seeds are
// 0, they are random.
std::unique_ptr<QueueItems> MakeShuffledItems(int64_t seed, int64_t seed2);
// Smallest component 0, an int64 scalar, first; equal ones in the order of the
// standard library's heap, as in stock.
std::unique_ptr<QueueItems> MakePriorityItems();

}  // namespace millrace::ops
