// SessionGraph: the graph of a session, its placement, and the devices.
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

// Not thread-safe: used by the holder of the turn of the session's SerialQueue.
struct SessionGraph {
  SessionGraph(const OpRegistry* ops, const KernelTable* kernels)
      : state(ops, kernels) {}

  // Allows to place nodes on this task, which has just answered.
  void AddTask(const Peer& peer);
  // Returns 0 for a device of a task that has not joined.
  uint64_t Incarnation(absl::string_view device) const;

  GraphState state;
  int64_t version = 0;  // as the client counts
  // Fingerprint of the last extension, which led to `version`; none if
  // `version` is still 0. A client that got no reply sends that extension
  // again.
  std::optional<Fingerprint> last_extension;
  std::set<TaskName> tasks;  // that have joined; each has a worker session
  std::vector<PlaceableDevice> devices;
  std::vector<DeviceAttributes> attributes;  // of the same devices
  absl::flat_hash_map<std::string, uint64_t> incarnations;
};

}  // namespace millrace
