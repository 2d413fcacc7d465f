#include "millrace/cluster/master/session_graph.h"

namespace millrace {

void SessionGraph::AddTask(const Peer& peer) {
  if (!tasks.insert(peer.task()).second) return;
  for (const DeviceAttributes& device : peer.devices()) {
    const StatusOr<DeviceName> parsed = DeviceName::Parse(device.name);
    if (!parsed.ok() || !parsed->IsFull()) continue;
    devices.push_back({device.name, *parsed, device.device_type});
    attributes.push_back(device);
    incarnations[device.name] = device.incarnation;
  }
}

uint64_t SessionGraph::Incarnation(absl::string_view device) const {
  const auto found = incarnations.find(device);
  return found == incarnations.end() ? 0 : found->second;
}

}  // namespace millrace
