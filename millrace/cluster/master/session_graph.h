// SessionGraph: the graph of a session, where it is placed, and on what.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "millrace/cluster/cluster_spec.h"
#include "millrace/cluster/fingerprint.h"
#include "millrace/cluster/peers.h"
#include "millrace/session/graph_state.h"

namespace millrace {

// One thread at a time: who has the turn of the session's SerialQueue.
struct SessionGraph {
  SessionGraph(const OpRegistry* ops, const KernelTable* kernels)
      : state(ops, kernels) {}

  // From now on nodes may be placed on this task, which has just answered.
  void AddTask(const Peer& peer);
  // 0 for a device of a task that has not joined.
  uint64_t Incarnation(absl::string_view device) const;

  GraphState state;
  int64_t version = 0;  // as the client counts
  // What the last extension brought, which led to `version`; none yet if it is
  // 0. A client that got no answer sends it again.
  std::optional<Fingerprint> last_extension;
  std::set<TaskName> tasks;  // that joined; each has a worker session
  std::vector<PlaceableDevice> devices;
  std::vector<DeviceAttributes> attributes;  // of the same devices
  absl::flat_hash_map<std::string, uint64_t> incarnations;
};

}  // namespace millrace
