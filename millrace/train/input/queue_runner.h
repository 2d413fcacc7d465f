// QueueRunner: which ops of a graph fill a queue, each to be run over and over
// by a thread of the client (queue_threads.h), and how that ends.
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
  // Run when there is nothing more to enqueue, and when all is to end; null:
  // ops that close the queue, the second one with its pending enqueues.
  Operation close_op;
  Operation cancel_op;
  // The codes of an enqueue that mean that there is nothing more. Any other
  // error ends all threads. OUT_OF_RANGE is how data ends; add CANCELLED where
  // the enqueue takes from other queues that may be closed first.
  std::vector<StatusCode> queue_closed_codes = {StatusCode::kOutOfRange};
};

// A small value; copies mean the same runner. It lives as long as its graph.
// Null after an error. Thread-safe.
class QueueRunner {
 public:
  QueueRunner() = default;
  // One thread an op of `enqueue_ops`, of which several may be the same.
  // INVALID_ARGUMENT, by the scope, without a queue or ops.
  QueueRunner(const Scope& scope, const Queue& queue,
              std::vector<Operation> enqueue_ops,
              QueueRunnerOptions options = {});

  // The names of its parts, as meta graphs have them (message QueueRunnerDef).
  struct Parts {
    std::string queue_name;
    std::vector<std::string> enqueue_op_names;
    std::string close_op_name;
    std::string cancel_op_name;
    std::vector<StatusCode> queue_closed_codes;  // empty: OUT_OF_RANGE
  };
  Parts parts() const;
  // Of a graph that has the ops, such as an imported one. NOT_FOUND if it lacks
  // one.
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
  const State& state() const;  // an empty one of a null runner
  // The runner runs for a session: false if it does already.
  bool Claim(const Session* session) const;
  void Release(const Session* session) const;

  std::shared_ptr<State> state_;
};

// Runners of a graph are in a collection, where StartQueueRunners finds them.
void AddQueueRunner(const Scope& scope, const QueueRunner& runner,
                    const std::string& collection = graph_keys::kQueueRunners);

}  // namespace millrace::train
