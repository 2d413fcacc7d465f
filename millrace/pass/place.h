// Placement: the simple placer.
#pragma once

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "millrace/graph/graph.h"
#include "millrace/kernel/device.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/pass/colocate.h"

namespace millrace {

// A device on which nodes may be placed.
struct PlaceableDevice {
  std::string name;  // full
  DeviceName parsed;
  std::string type;
};

struct PlacementOptions {
  // The task that supplies an omitted job (the session's master).
  DeviceName default_task;
  bool allow_soft_placement = false;
  // If set, called with "name: (op): device" for each placed node.
  absl::AnyInvocable<void(const std::string&)>* log = nullptr;
};

// Assigns a device to nodes as the graph grows. A node that was placed earlier
// keeps its device, and a pinned node gets the device that it is pinned to;
// otherwise a colocation group is placed on the first GPU of its task that can
// run the whole group, or on CPU:0; on CPU:0, too, if a kernel of the GPU is
// `only_if_asked`. A node that takes a reference or the handle of a resource is
// placed with the variable: it asks for nothing if it asks for another device.
// Nodes that `_class` joins may not contradict each other. A constant or a
// placeholder that may be anywhere is placed with its readers, if these are on
// one device of its task. Omitted parts mean task 0 of the job, the default
// task's job, the task's first device. For one thread.
class SimplePlacer {
 public:
  SimplePlacer(std::vector<PlaceableDevice> devices, const KernelTable* kernels,
               PlacementOptions options);

  // Places nodes [first, num_ids). Returns INVALID_ARGUMENT "Cannot assign a
  // device for operation X: ..." with the requested device, the available
  // devices and kernels, and the reasons for the colocation; then no node was
  // placed.
  Status Place(Graph* graph, NodeId first);

 private:
  struct Group;
  struct Request;
  using Requests = absl::flat_hash_map<NodeId, Request>;  // by groups' roots
  // Returns an error if no device is what a node asks for.
  Status CheckPinned(const Node& node) const;
  // Returns what each node from `first` on asks for, if it is not placed yet.
  StatusOr<Requests> RequestsOf(const Graph& graph, NodeId first) const;
  // Makes the groups, and the requests of nodes those of groups.
  Status MakeGroups(const Graph& graph, Requests* requests);
  Status Join(const Graph& graph, const ColocationGroups::Joint& joint,
              Request from, Request to, Request* joined) const;
  // Replaces what the nodes behind an edge of state ask for, if the nodes
  // before it ask for something else.
  Status FollowOwner(const Graph& graph, const ColocationGroups::Joint& joint,
                     const Request& from, Request* to) const;
  StatusOr<std::string> Choose(const Graph& graph, const Group& group) const;
  bool CanRun(const Graph& graph, const Group& group, const std::string& type,
              const Node** blocker) const;
  // Returns whether nothing in a group that can run on a type of device is
  // there only if it is asked to.
  bool Prefers(const Graph& graph, const Group& group,
               const std::string& type) const;
  // Returns the device of all readers of a constant for which `chosen` was
  // chosen; that one if there are several.
  std::string ReadersDevice(
      const Graph& graph, const Node& node, const std::string& chosen,
      const absl::flat_hash_map<NodeId, std::string>& placed) const;
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
