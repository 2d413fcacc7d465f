// Queues of a graph: tuples of tensors that steps put in and take out, and wait
// for. The state lives with the servers, shared by sessions like variables.
//
//   const FIFOQueue queue(scope, {DataType::kFloat, DataType::kString},
//                         {.capacity = 10, .shapes = {{2}, PartialShape({})}});
//   Operation put = queue.Enqueue(scope, {{1.0f, 2.0f}, "a"});
//   std::vector<Output> batch = queue.DequeueMany(scope, 5);
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
  // One a component, each fully defined; empty: of any shape, and there are no
  // batches.
  std::vector<PartialShape> shapes;
  // Under which sessions share it within its container; the default is its
  // name.
  std::string shared_name;
};

// A small value; copies mean the same queue. It lives as long as its graph.
// Null after an error, and so is what its operations give. Operations on it are
// called "QUEUE_enqueue", "QUEUE_Dequeue" and so on unless the scope names
// them; what does not fit the queue's types and shapes is an error of the graph
// (INVALID_ARGUMENT).
//
// When they run: an enqueue waits while the queue is full and fails with
// CANCELLED if it is closed; a dequeue waits for elements and fails with
// OUT_OF_RANGE if the queue is closed and has too few.
class Queue {
 public:
  Queue() = default;
  // One that is in the graph already, by the output of the op that makes it.
  static StatusOr<Queue> FromHandle(const Output& handle);

  explicit operator bool() const { return static_cast<bool>(handle()); }
  const Output& handle() const;  // a resource, or a reference in old graphs
  const std::string& name() const { return handle().op().name(); }
  const std::vector<DataType>& dtypes() const;
  // Empty if elements may have any shape.
  const std::vector<PartialShape>& shapes() const;

  // Adds a tuple, or one for each row of the components.
  Operation Enqueue(const Scope& scope, const InputList& components) const;
  Operation EnqueueMany(const Scope& scope, const InputList& components) const;
  // Takes a tuple; n of them as rows; n, or what is left in a closed queue.
  std::vector<Output> Dequeue(const Scope& scope) const;
  std::vector<Output> DequeueMany(const Scope& scope, const Input& n) const;
  std::vector<Output> DequeueUpTo(const Scope& scope, const Input& n) const;
  // Nothing more comes in; enqueues that wait go on or fail with CANCELLED.
  Operation Close(const Scope& scope,
                  bool cancel_pending_enqueues = false) const;
  Output IsClosed(const Scope& scope) const;
  Output Size(const Scope& scope) const;

 protected:
  // `op` makes a resource; `lead` are components in front of those of the
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
  const State& state() const;  // an empty one of a null queue
  // What the components of an enqueue hold: one tuple, or one a row.
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

// In random order. Until it is closed, a dequeue leaves `min_after_dequeue`
// elements. Seeds as of other random ops; a queue with a shared name has, under
// a graph's seed, the same order in every graph.
class RandomShuffleQueue : public Queue {
 public:
  RandomShuffleQueue(const Scope& scope, std::vector<DataType> dtypes,
                     int64_t min_after_dequeue,
                     const QueueOptions& options = {},
                     std::optional<int64_t> seed = std::nullopt);
};

// The smallest priority first. Elements have one more component in front, the
// priority, an int64 scalar, which `dtypes` and `options.shapes` leave out and
// enqueues and dequeues have.
class PriorityQueue : public Queue {
 public:
  PriorityQueue(const Scope& scope, std::vector<DataType> dtypes,
                const QueueOptions& options = {});
};

}  // namespace millrace
