// PreparedRun: one kind of run (feeds, fetches, targets), compiled and
// registered with the tasks that take part.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "millrace/base/memory/ref.h"
#include "millrace/base/threads/thread.h"
#include "millrace/cluster/master/run/client_edges.h"
#include "millrace/cluster/master/run/graph_release.h"
#include "millrace/cluster/peers.h"
#include "millrace/pass/run_signature.h"
#include "millrace/protocol/run_options.h"

namespace millrace {

// Made while its first run waits, shared by all runs after it. Thread-safe.
class PreparedRun final : public RefCounted {
 public:
  // What one task does in a run.
  struct Part {
    Ref<Peer> peer;
    std::string task;          // its name, for messages
    std::string graph_handle;  // until the task has answered, the one to expect
    ClientEdges edges;
  };
  using Waiter = absl::AnyInvocable<void(Status) &&>;

  explicit PreparedRun(RunSignature s) : signature(std::move(s)) {}
  // With the last of those who use it, its graphs go at the tasks.
  ~PreparedRun() override;

  // Calls `waiter` when the preparation has ended, at once if it has.
  void WhenReady(Waiter waiter);
  bool ready() const { return ready_.load(std::memory_order_acquire); }
  // Why the preparation failed, or OK; once ready.
  const Status& status() const { return status_; }
  // Ends the preparation, after which the members below do not change; runs
  // the waiters. Once.
  void SetReady(Status status);

  const RunSignature signature;
  // Set by who prepares, before SetReady:
  Ref<GraphRelease> release;
  std::vector<TensorConnection> connections;
  int64_t collective_graph_key = 0;
  std::vector<Part> parts;
  std::vector<DataType> feed_types;
  // The cache's: when it was last asked for.
  uint64_t last_use = 0;

 private:
  std::atomic<bool> ready_{false};
  Status status_;
  Mutex mu_;  // guards waiters_
  std::vector<Waiter> waiters_;
};

// `status` of a call for `part`, with the task that it comes from unless that
// is the master's own; with its address, too, where the task itself may be what
// is wrong.
Status SayWhere(const PreparedRun::Part& part, const Status& status);

}  // namespace millrace
