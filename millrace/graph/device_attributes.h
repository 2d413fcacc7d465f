// DeviceAttributes: the description of a device that its task gives to others.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace millrace {

// A link to another device of the same task.
struct DeviceLink {
  int32_t device_id = 0;
  std::string type;
  int32_t strength = 0;
};

// The position of a device in its machine.
struct DeviceLocality {
  int32_t bus_id = 0;
  int32_t numa_node = 0;
  std::vector<DeviceLink> links;
};

struct DeviceAttributes {
  std::string name;         // full
  std::string device_type;  // "CPU", "GPU"
  int64_t memory_limit_bytes = 0;
  uint64_t incarnation = 0;  // random, new with each start of the server
  std::string physical_description;
  DeviceLocality locality;
  int64_t xla_global_id = 0;  // -1: none, as our devices; only passed on
};

}  // namespace millrace
