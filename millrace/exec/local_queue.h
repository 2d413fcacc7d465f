// LocalQueue: the run queue of one thread of a step, with the ready nodes that
// it runs itself.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "millrace/exec/propagation.h"

namespace millrace {

// First in, first out, except for one expensive node, which waits until the
// others are done: they may make more expensive nodes ready, for other threads.
// For one thread at a time.
class LocalQueue {
 public:
  // Cheap nodes go before the expensive one until they have taken about the
  // time that another thread needs to start it.
  static constexpr int64_t kNanosBeforeLast = 20'000;
  static constexpr int64_t kNanosPerCheapNode = 300;
  // Nodes for other threads are split into at most this many pieces: enough for
  // all threads to share, while a task per node would cost more than the node.
  static constexpr size_t kPieces = 8;

  bool empty() const { return !has_short() && last_.node == nullptr; }
  size_t size() const { return nodes_.size() - head_ + has_last(); }
  bool has_last() const { return last_.node != nullptr; }
  // Returns whether the expensive node has let as many others go first as
  // allowed.
  bool last_is_late() const {
    return has_last() && has_short() && passed_nanos_ >= kNanosBeforeLast;
  }

  void push_back(const ReadyNode& r) { nodes_.push_back(r); }
  // Requires: there is no last node.
  void set_last(const ReadyNode& r) {
    last_ = r;
    passed_nanos_ = 0;
  }
  ReadyNode take_last() { return std::exchange(last_, ReadyNode()); }
  // Requires: the queue is not empty.
  ReadyNode pop_front() {
    if (!has_short()) return take_last();
    ReadyNode r = nodes_[head_++];
    passed_nanos_ += kNanosPerCheapNode;
    if (!has_short()) {
      nodes_.clear();
      head_ = 0;
    }
    return r;
  }

  // Returns the number of nodes in one of kPieces.
  size_t piece_size() const { return (size() + kPieces - 1) / kPieces; }
  // Returns the first n nodes, or all.
  LocalQueue TakeFront(size_t n) {
    LocalQueue taken;
    for (n = std::min(n, size()); n > 0; --n) taken.push_back(pop_front());
    return taken;
  }

  // Records the duration of an expensive kernel.
  void Spend(int64_t nanos) {
    spent_nanos_ += nanos;
    passed_nanos_ += nanos;
  }
  // Returns the time that expensive kernels took since the last call of
  // TakeSpent.
  int64_t spent_nanos() const { return spent_nanos_; }
  int64_t TakeSpent() { return std::exchange(spent_nanos_, 0); }

 private:
  bool has_short() const { return head_ != nodes_.size(); }

  absl::InlinedVector<ReadyNode, 16> nodes_;
  size_t head_ = 0;
  ReadyNode last_;
  int64_t passed_nanos_ = 0;
  int64_t spent_nanos_ = 0;
};

}  // namespace millrace
