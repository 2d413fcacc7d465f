// QueueRunner: the ops of a graph that fill a queue, each run repeatedly by a
// thread of the client (queue_threads.h), and the ops that end this.
//
//   const Operation put = queue.Enqueue(scope, {example});
//   AddQueueRunner(scope, QueueRunner(scope, queue, {put, put}));  // 2 threads
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "millrace/client/graph_keys.h"
#include "millrace/client/queues.h"

namespace millrace {
class Session;
}

namespace millrace::train {

struct QueueRunnerOptions {
  // Run when there is nothing more to enqueue, and when all threads must stop;
  // null: ops that close the queue, the second one with its pending enqueues.
  Operation close_op;
  Operation cancel_op;
  // The codes of an enqueue that mean that there is nothing more. Any other
  // error stops all threads. OUT_OF_RANGE is the end of data; add CANCELLED if
  // the enqueue takes from other queues that may be closed first.
  std::vector<StatusCode> queue_closed_codes = {StatusCode::kOutOfRange};
};

// A small value; copies refer to the same runner. Valid as long as its graph.
// Null after an error. Thread-safe.
class QueueRunner {
 public:
  QueueRunner() = default;
  // Runs one thread per op of `enqueue_ops`, in which an op may occur several
  // times. Without a queue or ops the scope reports INVALID_ARGUMENT.
  QueueRunner(const Scope& scope, const Queue& queue,
              std::vector<Operation> enqueue_ops,
              const QueueRunnerOptions& options = {});

  // The names of its nodes, as meta graphs store them (message QueueRunnerDef).
  struct Parts {
    std::string queue_name;
    std::vector<std::string> enqueue_op_names;
    std::string close_op_name;
    std::string cancel_op_name;
    std::vector<StatusCode> queue_closed_codes;  // empty: OUT_OF_RANGE
  };
  Parts parts() const;
  // Returns the runner of a graph that has the ops, such as an imported one.
  // Returns NOT_FOUND if it lacks one.
  static StatusOr<QueueRunner> FromParts(ClientGraph& graph,
                                         const Parts& parts);

  explicit operator bool() const { return state_ != nullptr; }
  const std::string& name() const;  // of the queue's op
  const std::vector<Operation>& enqueue_ops() const;
  const Operation& close_op() const;
  const Operation& cancel_op() const;
  bool IsEnd(const Status& status) const;  // has one of the closed codes

  friend bool operator==(const QueueRunner&, const QueueRunner&) = default;

 private:
  friend class QueueThreads;
  struct State;
  const State& state() const;  // an empty one for a null runner
  // Marks the runner as running for a session. Returns false if it is already.
  bool Claim(const Session* session) const;
  void Release(const Session* session) const;

  std::shared_ptr<State> state_;
};

struct AddQueueRunnerOptions {
  std::string collection = graph_keys::kQueueRunners;
};
// Adds a runner to a collection of the graph, in which StartQueueRunners finds
// it.
void AddQueueRunner(const Scope& scope, const QueueRunner& runner,
                    const AddQueueRunnerOptions& options = {});

}  // namespace millrace::train
