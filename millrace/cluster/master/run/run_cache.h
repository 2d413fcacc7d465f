// RunCache: prepared runs by what they feed, fetch and target.
#pragma once

#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/inlined_vector.h"
#include "millrace/cluster/master/run/prepared_run.h"
#include "millrace/protocol/master.h"

namespace millrace {

// Found without copying names, as it is asked once a step. Order counts: the
// same names in another order are another kind of run. One thread at a time.
class RunCache {
 public:
  // For more than `max_runs` kinds of runs the one that was not asked for the
  // longest has to go: each costs memory here and at its workers.
  explicit RunCache(size_t max_runs) : max_runs_(max_runs) {}

  // Null if there is none.
  Ref<PreparedRun> Find(const RunStepRequest& request);
  Ref<PreparedRun> Find(const RunSignature& signature);
  // Gives what had to go for it, runs that are ready and that nobody else
  // holds: mostly one, more where callables held too many.
  [[nodiscard]] std::vector<Ref<PreparedRun>> Add(Ref<PreparedRun> run);
  // Null if it is not there.
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
