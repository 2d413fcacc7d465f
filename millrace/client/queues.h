// Queues of a graph: bounded queues of tuples of tensors, in which steps
// enqueue and dequeue, and for which they wait. The state lives on the servers,
// shared by sessions like variables.
//
//   const FIFOQueue queue(scope, {DataType::kFloat, DataType::kString},
//                         {.capacity = 10, .shapes = {{2}, PartialShape({})}});
//   Operation put = queue.Enqueue(scope, {{1.0f, 2.0f}, "a"});
//   std::vector<Output> batch = queue.DequeueMany(scope, 5);
//
// The classes are in `millrace`, not in `ops`, where FIFOQueue and so on are
// the wrappers of the ops themselves.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "millrace/client/input.h"
#include "millrace/client/scope.h"

namespace millrace {

struct QueueOptions {
  int64_t capacity = -1;  // elements; -1: no bound
  // One per component, each fully defined; empty: elements of any shape, which
  // cannot be batched.
  std::vector<PartialShape> shapes;
  // The name under which sessions share the queue within its container; the
  // default is its name.
  std::string shared_name;
};

struct QueueCloseOptions {
  // Whether enqueues that wait fail with CANCELLED; otherwise they complete.
  bool cancel_pending_enqueues = false;
};

// A small value; copies refer to the same queue. Valid as long as its graph.
// Null after an error, and so are the results of its operations. Operations on
// it are called "QUEUE_enqueue", "QUEUE_Dequeue" and so on unless the scope
// names them; a mismatch with the queue's types and shapes is an error of the
// graph (INVALID_ARGUMENT).
//
// When they run: an enqueue blocks while the queue is full and fails with
// CANCELLED if it is closed; a dequeue blocks until there are elements and
// fails with OUT_OF_RANGE if the queue is closed and has too few.
class Queue {
 public:
  Queue() = default;
  // Returns a queue that is in the graph already, given the output of the op
  // that creates it.
  static StatusOr<Queue> FromHandle(const Output& handle);

  explicit operator bool() const { return static_cast<bool>(handle()); }
  const Output& handle() const;  // a resource, or a reference in old graphs
  const std::string& name() const { return handle().op().name(); }
  const std::vector<DataType>& dtypes() const;
  // Empty if elements may have any shape.
  const std::vector<PartialShape>& shapes() const;

  // Build ops that enqueue a tuple, or one tuple per row of the components.
  Operation Enqueue(const Scope& scope, const InputList& components) const;
  Operation EnqueueMany(const Scope& scope, const InputList& components) const;
  // Build ops that dequeue a tuple; n tuples as rows; up to n, what is left in
  // a closed queue.
  std::vector<Output> Dequeue(const Scope& scope) const;
  std::vector<Output> DequeueMany(const Scope& scope, const Input& n) const;
  std::vector<Output> DequeueUpTo(const Scope& scope, const Input& n) const;
  // Builds an op that closes the queue: no element is enqueued any more, except
  // by enqueues that wait.
  Operation Close(const Scope& scope,
                  const QueueCloseOptions& options = {}) const;
  Output IsClosed(const Scope& scope) const;
  Output Size(const Scope& scope) const;

 protected:
  // `op` creates a resource; `lead` are components before those of the
  // attributes.
  struct Kind {
    const char* op;
    const char* default_name;
    bool is_padding = false;  // needs shapes, which may have unknown sizes
    std::vector<DataType> lead = {};
    AttrMap attrs = {};
  };
  Queue(const Scope& scope, const Kind& kind, std::vector<DataType> dtypes,
        const QueueOptions& options);

 private:
  struct State;
  const State& state() const;  // an empty one for a null queue
  // Says whether the components of an enqueue are one tuple, or one per row.
  enum class Holds { kTuple, kRows };
  Operation Put(const Scope& scope, const char* op, const char* suffix,
                const InputList& components, Holds holds) const;
  std::vector<Output> Take(const Scope& scope, const char* op,
                           const char* suffix, const Input* n) const;
  Output Ask(const Scope& scope, const char* op, const char* suffix) const;

  std::shared_ptr<const State> state_;
};

// First in, first out.
class FIFOQueue : public Queue {
 public:
  FIFOQueue(const Scope& scope, std::vector<DataType> dtypes,
            const QueueOptions& options = {});
};

// Shapes have known ranks; batches are padded with zeros where a size is
// unknown.
class PaddingFIFOQueue : public Queue {
 public:
  PaddingFIFOQueue(const Scope& scope, std::vector<DataType> dtypes,
                   const QueueOptions& options);
};

struct RandomShuffleQueueOptions {
  // As for all queues.
  int64_t capacity = -1;
  std::vector<PartialShape> shapes;
  std::string shared_name;
  std::optional<int64_t> seed;  // none: from the graph's seed
};

// Dequeues in random order. Until it is closed, a dequeue leaves
// `min_after_dequeue` elements. Seeds work as for other random ops; under a
// graph's seed, a queue with a shared name has the same order in every graph.
class RandomShuffleQueue : public Queue {
 public:
  RandomShuffleQueue(const Scope& scope, std::vector<DataType> dtypes,
                     int64_t min_after_dequeue,
                     const RandomShuffleQueueOptions& options = {});
};

// Dequeues the smallest priority first. Elements have one more component in
// front, the priority, an int64 scalar, which `dtypes` and `options.shapes`
// omit and enqueues and dequeues include.
class PriorityQueue : public Queue {
 public:
  PriorityQueue(const Scope& scope, std::vector<DataType> dtypes,
                const QueueOptions& options = {});
};

}  // namespace millrace
