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
#include "millrace/protocol/config.h"
#include "millrace/protocol/run_options.h"

namespace millrace {

// Created while its first step waits, and shared by all later steps.
// Thread-safe.
class PreparedRun final : public RefCounted {
 public:
  // One task's part of a run.
  struct Part {
    Ref<Peer> peer;
    std::string task;          // the task's name, for messages
    std::string graph_handle;  // until the task answers, the expected one
    ClientEdges edges;
  };
  using Waiter = absl::AnyInvocable<void(Status) &&>;

  explicit PreparedRun(RunSignature s) : signature(std::move(s)) {}
  // Releases its graphs at the tasks.
  ~PreparedRun() override;

  // Calls `waiter` when the preparation has ended, at once if it has.
  void WhenReady(Waiter waiter);
  // Counts a step that begins. Returns whether it measures the costs of nodes.
  bool CountStep(const GraphOptions& options);
  bool ready() const { return ready_.load(std::memory_order_acquire); }
  // Returns the error of the preparation, or OK. Requires: ready.
  const Status& status() const { return status_; }
  // Ends the preparation, after which the members below do not change; runs the
  // waiters. Requires: called once.
  void SetReady(Status status);

  const RunSignature signature;
  // Set during the preparation, before SetReady:
  Ref<GraphRelease> release;
  std::vector<TensorConnection> connections;
  int64_t collective_graph_key = 0;
  std::vector<Part> parts;
  std::vector<DataType> feed_types;
  // Used by the cache: the time of its last use.
  uint64_t last_use = 0;

 private:
  std::atomic<bool> ready_{false};
  std::atomic<int64_t> steps_{0};
  Status status_;
  Mutex mu_;  // guards waiters_
  std::vector<Waiter> waiters_;
};

// Returns `status` of a call for `part` with the task's name added, unless that
// is the master's own task; with its address, too, if the task itself may be
// the cause.
Status WithTaskName(const PreparedRun::Part& part, const Status& status);

}  // namespace millrace
