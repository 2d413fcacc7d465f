// RunCache: prepared runs by what they feed, fetch and target.
#pragma once

#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/inlined_vector.h"
#include "millrace/cluster/master/run/prepared_run.h"
#include "millrace/protocol/master.h"

namespace millrace {

// Lookup copies no names, since it happens once per step. Order matters: the
// same names in another order are another kind of run. Not thread-safe.
class RunCache {
 public:
  // If there are more than `max_runs` kinds of runs, the least recently used
  // one is evicted: each costs memory here and at its workers.
  explicit RunCache(size_t max_runs) : max_runs_(max_runs) {}

  // Returns null if there is none.
  Ref<PreparedRun> Find(const RunStepRequest& request);
  Ref<PreparedRun> Find(const RunSignature& signature);
  // Adds a run. Returns the evicted runs, which are ready and not referenced
  // elsewhere: usually one, more if callables held too many before.
  [[nodiscard]] std::vector<Ref<PreparedRun>> Add(Ref<PreparedRun> run);
  // Returns null if it is not in the cache.
  Ref<PreparedRun> Remove(const PreparedRun* run);
  void Clear();
  size_t size() const { return size_; }

 private:
  Ref<PreparedRun> TakeOldest();
  Ref<PreparedRun> Used(Ref<PreparedRun> run);

  const size_t max_runs_;
  size_t size_ = 0;
  uint64_t uses_ = 0;
  absl::btree_map<uint64_t, absl::InlinedVector<Ref<PreparedRun>, 1>> runs_;
};

RunSignature SignatureOf(const RunStepRequest& request);

}  // namespace millrace
