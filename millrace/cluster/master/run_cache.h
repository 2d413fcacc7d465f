// RunCache: prepared runs by what they feed, fetch and target.
#pragma once

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "millrace/cluster/master/prepared_run.h"
#include "millrace/protocol/master.h"

namespace millrace {

// Found without copying names, as it is asked once a step. Order counts: the
// same names in another order are another kind of run. One thread at a time.
class RunCache {
 public:
  // More kinds of runs than this, and the one that was not asked for the
  // longest has to go: each costs memory here and at its workers.
  static constexpr size_t kMaxRuns = 1000;

  // Null if there is none.
  Ref<PreparedRun> Find(const RunStepRequest& request);
  Ref<PreparedRun> Find(const RunSignature& signature);
  // What had to go for it, else null: a run that is ready and that nobody else
  // holds.
  [[nodiscard]] Ref<PreparedRun> Add(Ref<PreparedRun> run);
  void Remove(const PreparedRun* run);
  void Clear();
  size_t size() const { return size_; }

 private:
  Ref<PreparedRun> TakeOldest();
  Ref<PreparedRun> Used(Ref<PreparedRun> run);

  size_t size_ = 0;
  uint64_t uses_ = 0;
  absl::flat_hash_map<uint64_t, absl::InlinedVector<Ref<PreparedRun>, 1>> runs_;
};

RunSignature SignatureOf(const RunStepRequest& request);

}  // namespace millrace
