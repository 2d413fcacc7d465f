// CpuNodes: determines which nodes are placed on a CPU.
#pragma once

#include <string>

#include "absl/container/flat_hash_map.h"
#include "millrace/graph/device_name.h"
#include "millrace/graph/graph.h"

namespace millrace {

// A function that returns whether a node is placed on a CPU, for one pass.
// Caches the device names that it has parsed.
class CpuNodes {
 public:
  bool operator()(const Node& node) {
    const auto [it, added] = devices_.try_emplace(node.assigned_device, false);
    if (added) {
      const StatusOr<DeviceName> name = DeviceName::Parse(node.assigned_device);
      it->second = name.ok() && name->type == "CPU";
    }
    return it->second;
  }

 private:
  absl::flat_hash_map<std::string, bool> devices_;
};

}  // namespace millrace
