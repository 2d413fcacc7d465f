// SessionTable: the sessions that masters have created at a worker.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "millrace/base/memory/recent_set.h"
#include "millrace/base/memory/ref.h"
#include "millrace/base/status.h"
#include "millrace/base/threads/thread.h"
#include "millrace/cluster/worker/worker_session.h"

namespace millrace {

// Thread-safe.
class SessionTable {
 public:
  explicit SessionTable(WorkerState& worker) : worker_(worker) {}

  // Creates a session. Idempotent: a handle that exists is kept if the request
  // is a duplicate (same master and incarnation), and replaced if it comes from
  // a new incarnation of its master. A new incarnation of a task also ends all
  // sessions that its old one created. Returns ABORTED for a handle that was
  // deleted, ALREADY_EXISTS for one of another master.
  Status Create(const CreateWorkerSessionRequest& request);
  // Ends the session with CANCELLED; OK if there is none.
  void Delete(const std::string& handle);
  // Returns ABORTED "Session handle is not found: ..." if there is none.
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
  static constexpr size_t kHandlesRemembered = 4096;

  struct Entry {
    Ref<WorkerSession> session;
    uint64_t watch = 0;
  };
  // Return whether the request's session exists already, or an error if it must
  // not be created; and the sessions that end when it is created. Require: mu_
  // is held.
  StatusOr<bool> SessionExists(const CreateWorkerSessionRequest& request) const;
  std::vector<Entry> TakeReplaced(const CreateWorkerSessionRequest& request);
  void Watch(const Ref<WorkerSession>& session);
  void End(Entry entry, const Status& reason);
  void OnMasterLost(const Ref<WorkerSession>& session, const Status& reason);

  WorkerState& worker_;
  mutable Mutex mu_;  // guards all below
  absl::btree_map<std::string, Entry> sessions_;
  // Hashes of handles: an equal one of a new session, which that would be
  // refused for, comes once in 2^52 sessions.
  RecentSet<size_t> deleted_{kHandlesRemembered};
};

}  // namespace millrace
