// DeviceTypes: determines the types of devices that nodes are placed on.
#pragma once

#include <string>

#include "absl/container/flat_hash_map.h"
#include "millrace/graph/device_name.h"
#include "millrace/graph/graph.h"

namespace millrace {

// A function that returns the type of a node's device, "CPU", for one pass; ""
// if the node is not placed. Caches the device names that it has parsed.
class DeviceTypes {
 public:
  const std::string& operator()(const Node& node) {
    const auto [it, added] = types_.try_emplace(node.assigned_device);
    if (added) {
      const StatusOr<DeviceName> name = DeviceName::Parse(node.assigned_device);
      if (name.ok()) it->second = name->type.value_or("");
    }
    return it->second;
  }

 private:
  absl::flat_hash_map<std::string, std::string> types_;
};

}  // namespace millrace
