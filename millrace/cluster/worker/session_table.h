// SessionTable: the sessions that masters have made at a worker.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_set.h"
#include "millrace/base/memory/ref.h"
#include "millrace/base/status.h"
#include "millrace/base/threads/thread.h"
#include "millrace/cluster/worker/worker_session.h"

namespace millrace {

// Thread-safe.
class SessionTable {
 public:
  explicit SessionTable(WorkerState& worker) : worker_(worker) {}

  // A handle that is there already stays if the request is the same one again
  // (master and incarnation), and is replaced if it comes from a new
  // incarnation of its master. A new incarnation of a task also ends all
  // sessions that its old one made. ABORTED for a handle that was deleted,
  // ALREADY_EXISTS for one of another master.
  Status Create(const CreateWorkerSessionRequest& request);
  // Ends it with CANCELLED; OK if there is none.
  void Delete(const std::string& handle);
  // ABORTED "Session handle is not found: ...".
  StatusOr<Ref<WorkerSession>> Find(const std::string& handle) const;
  void EndAll(const Status& reason);

  struct Counts {
    int64_t sessions = 0;
    int64_t graphs = 0;
    int64_t plans = 0;
    int64_t kernels = 0;
  };
  Counts counts() const;
  std::vector<Ref<WorkerSession>> All() const;

 private:
  struct Entry {
    Ref<WorkerSession> session;
    uint64_t watch = 0;
  };
  // With mu_ held: whether the request's session has been made already; else
  // why it must not be. And the sessions that end when it is made.
  StatusOr<bool> IsThere(const CreateWorkerSessionRequest& request) const;
  std::vector<Entry> TakeReplaced(const CreateWorkerSessionRequest& request);
  void Watch(const Ref<WorkerSession>& session);
  void End(Entry entry, const Status& reason);
  void OnMasterLost(const Ref<WorkerSession>& session, const Status& reason);

  WorkerState& worker_;
  mutable Mutex mu_;  // guards all below
  absl::btree_map<std::string, Entry> sessions_;
  absl::flat_hash_set<std::string> deleted_;  // lately
  std::deque<std::string> deleted_order_;
};

}  // namespace millrace
