// LocalSession::Prepared: the plans of a run signature, and what they are made
// of. Private to session/.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "millrace/session/local_session.h"

namespace millrace {

struct LocalSession::Prepared {
  RunSignature signature;
  std::shared_ptr<const PlanSet> plans;
  std::vector<DataType> feed_types;
  bool keeps_inputs = false;  // some op keeps a tensor beyond the step
  std::vector<GraphDef> partition_graphs;
  std::unique_ptr<FunctionRuntime> functions;
  // The keys under which a partial run sends feeds and receives fetches, by
  // their numbers in the signature.
  std::vector<std::vector<std::string>> feed_keys;
  std::vector<std::string> fetch_keys;
  mutable int64_t last_step = 0;  // guarded by the session's mu_
  mutable std::atomic<int64_t> steps{0};
};

inline Status RunTimedOut(int64_t timeout_ms) {
  return DeadlineExceeded(
      "Timed out waiting for notification: the run took longer than ",
      timeout_ms, " ms");
}

// The parts of the session's graph that a kind of run consists of.
struct LocalSession::Parts {
  std::shared_ptr<Prepared> prepared;  // less its plans
  std::vector<Partition> partitions;
  bool fuse = false;
  bool partial = false;
};

}  // namespace millrace
