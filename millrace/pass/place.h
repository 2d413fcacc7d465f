// Placement: the simple placer.
#pragma once

#include <string>
#include <vector>

#include "millrace/graph/graph.h"
#include "millrace/kernel/device.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/pass/colocate.h"

namespace millrace {

// A device that nodes may be placed on.
struct PlaceableDevice {
  std::string name;  // full
  DeviceName parsed;
  std::string type;
};

struct PlacementOptions {
  // The task whose devices an omitted job means (the session's master).
  DeviceName default_task;
  bool allow_soft_placement = false;
  // Gets "name: (op): device" for each node placed, if set.
  absl::AnyInvocable<void(const std::string&)>* log = nullptr;
};

// Assigns a device to nodes as the graph grows. A node placed earlier keeps
// its device; a pinned node goes where it is pinned; else the first GPU of its
// task that can run the whole colocation group, or CPU:0. A node that uses a
// resource goes where the resource is, whatever it asks for itself. Omitted
// parts: task 0 of the job, the default task's job, the task's first device.
// One thread.
class SimplePlacer {
 public:
  SimplePlacer(std::vector<PlaceableDevice> devices, const KernelTable* kernels,
               PlacementOptions options);

  // Places nodes [first, num_ids). INVALID_ARGUMENT "Cannot assign a device
  // for operation X: ..." says what was asked, which devices and kernels there
  // are, and why nodes are together; then no node was placed.
  Status Place(Graph* graph, NodeId first);

 private:
  struct Group;
  Status CheckPinned(const Graph& graph, const Node& node,
                     const DeviceName& requested) const;
  // Adds what a node asks for to what its group does.
  Status Request(const Graph& graph, NodeId id, Group* group) const;
  StatusOr<std::string> Choose(const Graph& graph, const Group& group) const;
  bool CanRun(const Graph& graph, const Group& group, const std::string& type,
              const Node** blocker) const;
  DeviceName WithDefaults(const DeviceName& requested) const;
  std::string DeviceList() const;
  Status NoKernelError(const Graph& graph, const Group& group,
                       const Node& blocker, const DeviceName& requested) const;

  const std::vector<PlaceableDevice> devices_;
  const KernelTable* const kernels_;
  const PlacementOptions options_;
  ColocationGroups groups_;
};

}  // namespace millrace
