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
  // Null if there is none.
  Ref<PreparedRun> Find(const RunStepRequest& request) const;
  Ref<PreparedRun> Find(const RunSignature& signature) const;
  void Add(Ref<PreparedRun> run);
  void Remove(const PreparedRun* run);
  void Clear() { runs_.clear(); }
  size_t size() const { return runs_.size(); }

 private:
  absl::flat_hash_map<uint64_t, absl::InlinedVector<Ref<PreparedRun>, 1>> runs_;
};

RunSignature SignatureOf(const RunStepRequest& request);

}  // namespace millrace
