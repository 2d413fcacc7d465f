#include "millrace/pass/place.h"

#include <algorithm>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/str_join.h"
#include "millrace/base/edit_distance.h"
#include "millrace/graph/verifier.h"

namespace millrace {

// The nodes that are placed on one device.
struct SimplePlacer::Group {
  std::vector<NodeId> members;  // not placed yet
  std::string placed;           // device of a member placed earlier
  DeviceName requested;         // the merged request of the members
  NodeId asking = kNoNode;      // a member with a request
};

// What the members of a group ask for.
struct SimplePlacer::Request {
  DeviceName device;
  // What the variables and other owners of state among them ask for; `device`
  // has all of it.
  DeviceName owner;
  absl::InlinedVector<NodeId, 1> askers;  // one for each device asked for
};

namespace {

// Returns whether a node gives a value that is there without being computed.
bool IsGiven(const Node& node) {
  return node.inputs.empty() &&
         (node.op->role == OpRole::kConstant || IsPlaceholder(node.op->role));
}

// Returns whether a node is where a reference or a handle comes from.
bool OwnsState(const Node& node) {
  return node.inputs.empty() && node.output_types.size() == 1 &&
         (IsRef(node.output_types[0]) ||
          node.output_types[0] == DataType::kResource);
}

// Returns whether two names contradict each other in no part.
bool AreCompatible(const DeviceName& a, const DeviceName& b) {
  return a.Merge(b).ok();
}

}  // namespace

SimplePlacer::SimplePlacer(std::vector<PlaceableDevice> devices,
                           const KernelTable* kernels, PlacementOptions options)
    : devices_(std::move(devices)),
      kernels_(kernels),
      options_(std::move(options)) {}

std::string SimplePlacer::DeviceList() const {
  return absl::StrJoin(
      devices_, ", ",
      [](std::string* out, const PlaceableDevice& d) { *out += d.name; });
}

DeviceName SimplePlacer::WithDefaults(const DeviceName& requested) const {
  DeviceName full = requested;
  if (!full.job) {
    full.job = options_.default_task.job;
    if (!full.task) full.task = options_.default_task.task;
    if (!full.replica) full.replica = options_.default_task.replica;
  }
  if (!full.replica) full.replica = 0;
  if (!full.task) {
    // Task 0, or the lowest available one (device filters may hide some).
    for (const PlaceableDevice& d : devices_) {
      if (d.parsed.job == full.job &&
          (!full.task || *d.parsed.task < *full.task)) {
        full.task = d.parsed.task;
      }
    }
    if (!full.task) full.task = 0;
  }
  return full;
}

Status SimplePlacer::CheckPinned(const Node& node) const {
  MR_ASSIGN_OR_RETURN(const DeviceName requested,
                      DeviceName::Parse(node.requested_device));
  const bool exists = std::any_of(
      devices_.begin(), devices_.end(),
      [&](const PlaceableDevice& d) { return requested.Matches(d.parsed); });
  if (exists) return OkStatus();
  DeviceName task_only = requested;
  task_only.type.reset();
  task_only.index.reset();
  const bool task_exists = std::any_of(
      devices_.begin(), devices_.end(),
      [&](const PlaceableDevice& d) { return task_only.Matches(d.parsed); });
  if (task_exists && options_.allow_soft_placement) return OkStatus();
  std::vector<std::string> names;
  for (const PlaceableDevice& d : devices_) names.push_back(d.name);
  const std::string nearest = NearestWord(requested.ToString(), names);
  return InvalidArgument(
      "Cannot assign a device for operation ", node.name, ": {{node ",
      node.name, "}} was explicitly assigned to ", node.requested_device,
      " but available devices are [ ", DeviceList(),
      " ]. Make sure the device specification refers to a valid device.",
      nearest.empty() ? "" : absl::StrCat(" The nearest one is ", nearest, "."),
      task_exists ? " With allow_soft_placement in the session's ConfigProto "
                    "another device of the task is taken."
                  : "");
}

bool SimplePlacer::Prefers(const Graph& graph, const Group& group,
                           const std::string& type) const {
  return std::all_of(
      group.members.begin(), group.members.end(), [&](NodeId id) {
        const Node& node = *graph.node(id);
        const auto row = kernels_->FindRow(type, *node.op, node.attrs);
        return !row.ok() || !(*row)->entry->only_if_asked;
      });
}

bool SimplePlacer::CanRun(const Graph& graph, const Group& group,
                          const std::string& type, const Node** blocker) const {
  for (NodeId id : group.members) {
    const Node& node = *graph.node(id);
    // A call of a function has no kernel of its own.
    if (graph.library().Find(node.op->name) != nullptr) continue;
    if (!kernels_->Has(type, *node.op, node.attrs)) {
      *blocker = &node;
      return false;
    }
  }
  return true;
}

Status SimplePlacer::NoKernelError(const Graph& graph, const Group& group,
                                   const Node& blocker,
                                   const DeviceName& requested) const {
  const Node& asking =
      group.asking == kNoNode ? blocker : *graph.node(group.asking);
  std::string chain;
  for (const std::string& line : groups_.Reasons(graph, blocker.id)) {
    absl::StrAppend(&chain, "\n  ", line);
  }
  const std::string registered = kernels_->Describe(blocker.op->name);
  const std::string kernels = registered.empty() ? "  (none)" : registered;
  const std::string colocated =
      chain.empty()
          ? ""
          : absl::StrCat(
                "\nColocation Debug Info, nodes that must be together:", chain);
  if (requested.type) {
    return InvalidArgument(
        "Cannot assign a device for operation ", asking.name,
        ": Could not satisfy explicit device specification '",
        asking.requested_device, "' because no supported kernel for ",
        *requested.type, " devices is available. Op ", blocker.op->name,
        " of {{node ", blocker.name, "}} has these kernels:\n", kernels,
        "\nAvailable devices: [ ", DeviceList(), " ]", colocated,
        "\n\t [[{{node ", asking.name, "}}]]");
  }
  return InvalidArgument("Cannot assign a device for operation ", blocker.name,
                         ": No OpKernel was registered to support Op '",
                         blocker.op->name, "' used by {{node ", blocker.name,
                         "}} with its types. Kernels:\n", kernels,
                         "\nAvailable devices: [ ", DeviceList(), " ]",
                         colocated, "\n\t [[{{node ", blocker.name, "}}]]");
}

StatusOr<std::string> SimplePlacer::Choose(const Graph& graph,
                                           const Group& group) const {
  const DeviceName wanted = WithDefaults(group.requested);
  const Node* blocker = nullptr;
  // GPUs first, then CPUs; lower indices first.
  auto pick = [&](const DeviceName& name) -> const PlaceableDevice* {
    const PlaceableDevice* best = nullptr;
    for (const PlaceableDevice& d : devices_) {
      if (!name.Matches(d.parsed)) continue;
      if (!CanRun(graph, group, d.type, &blocker)) continue;
      const auto rank = [&](const PlaceableDevice& x) {
        const bool is_gpu = x.type == "GPU";
        const bool is_unasked =
            is_gpu && !name.type && !Prefers(graph, group, x.type);
        return std::make_tuple(is_unasked, is_gpu ? 0 : 1, *x.parsed.index);
      };
      if (best == nullptr || rank(d) < rank(*best)) best = &d;
    }
    return best;
  };
  if (const PlaceableDevice* d = pick(wanted)) return d->name;
  if (options_.allow_soft_placement) {
    DeviceName anywhere = wanted;
    anywhere.type.reset();
    anywhere.index.reset();
    if (const PlaceableDevice* d = pick(anywhere)) return d->name;
  }
  if (blocker == nullptr) {
    const Node& node =
        *graph.node(group.asking == kNoNode ? group.members[0] : group.asking);
    return InvalidArgument(
        "Cannot assign a device for operation ", node.name, ": {{node ",
        node.name, "}} was explicitly assigned to ", node.requested_device,
        " (with defaults ", wanted.ToString(), ") but available devices are [ ",
        DeviceList(),
        " ]. Make sure the device specification refers to a valid device.");
  }
  return NoKernelError(graph, group, *blocker, wanted);
}

StatusOr<SimplePlacer::Requests> SimplePlacer::RequestsOf(const Graph& graph,
                                                          NodeId first) const {
  Requests requests;
  for (NodeId id = first; id < graph.num_ids(); ++id) {
    const Node* const node = graph.node(id);
    if (node == nullptr || !node->assigned_device.empty() ||
        node->requested_device.empty()) {
      continue;
    }
    StatusOr<DeviceName> requested = DeviceName::Parse(node->requested_device);
    if (!requested.ok()) {
      return InvalidArgument("Malformed device specification '",
                             node->requested_device, "' in node ", node->name,
                             ": ", requested.status().message());
    }
    if (requested->empty()) continue;
    Request& request = requests[id];
    if (OwnsState(*node)) request.owner = *requested;
    request.device = *std::move(requested);
    request.askers.push_back(id);
  }
  return requests;
}

Status SimplePlacer::FollowOwner(const Graph& graph,
                                 const ColocationGroups::Joint& joint,
                                 const Request& from, Request* to) const {
  if (to->askers.empty()) return OkStatus();
  const std::string& placed = graph.node(joint.a)->assigned_device;
  if (!placed.empty()) {
    MR_ASSIGN_OR_RETURN(DeviceName there, DeviceName::Parse(placed));
    if (to->device.Matches(there)) return OkStatus();
    to->device = std::move(there);
    to->askers.clear();
    return OkStatus();
  }
  if (!AreCompatible(from.owner, to->owner)) {
    const Node& src = *graph.node(joint.a);
    const Node& dst = *graph.node(joint.b);
    return InvalidArgument(
        "Cannot place the graph because a reference or resource edge connects "
        "colocation groups with incompatible resource devices: ",
        from.owner.ToString(), " vs ", to->owner.ToString(),
        ". The edge leads from ", src.name, " (", src.op->name, ") to ",
        dst.name, " (", dst.op->name, ").");
  }
  if (AreCompatible(from.device, to->device)) return OkStatus();
  // A client may put an update or a read of a variable on its worker.
  to->device = from.device.OverriddenBy(to->owner);
  to->askers.clear();
  return OkStatus();
}

Status SimplePlacer::Join(const Graph& graph,
                          const ColocationGroups::Joint& joint, Request from,
                          Request to, Request* joined) const {
  if (joint.is_state_edge)
    MR_RETURN_IF_ERROR(FollowOwner(graph, joint, from, &to));
  const bool soft = options_.allow_soft_placement;
  StatusOr<DeviceName> device = from.device.Merge(to.device, soft);
  StatusOr<DeviceName> owner = from.owner.Merge(to.owner, soft);
  if (!device.ok() || !owner.ok()) {
    const auto name = [&](const Request& request, NodeId otherwise) {
      const bool asks = !request.askers.empty();
      return graph.node(asks ? request.askers[0] : otherwise)->name;
    };
    const Status& status = device.ok() ? owner.status() : device.status();
    return InvalidArgument(
        "Cannot colocate nodes {{colocation_node ", name(to, joint.b),
        "}} and {{colocation_node ", name(from, joint.a),
        "}}: ", status.message(), "\n  ",
        absl::StrJoin(groups_.Reasons(graph, joint.b), "\n  "));
  }
  joined->device = *std::move(device);
  joined->owner = *std::move(owner);
  joined->askers = std::move(from.askers);
  for (NodeId id : to.askers) {
    const bool is_new = std::none_of(
        joined->askers.begin(), joined->askers.end(), [&](NodeId known) {
          return graph.node(known)->requested_device ==
                 graph.node(id)->requested_device;
        });
    if (is_new) joined->askers.push_back(id);
  }
  return OkStatus();
}

Status SimplePlacer::MakeGroups(const Graph& graph, Requests* requests) {
  groups_ = ColocationGroups();
  return groups_.AddNodes(
      graph,
      [&](const ColocationGroups::Joint& joint, NodeId root_a,
          NodeId root_b) -> Status {
        const auto a = requests->find(root_a);
        const auto b = requests->find(root_b);
        if (a == requests->end() && b == requests->end()) return OkStatus();
        Request from, to, joined;
        if (a != requests->end()) from = std::move(a->second);
        if (b != requests->end()) to = std::move(b->second);
        MR_RETURN_IF_ERROR(
            Join(graph, joint, std::move(from), std::move(to), &joined));
        requests->erase(std::max(root_a, root_b));
        (*requests)[std::min(root_a, root_b)] = std::move(joined);
        return OkStatus();
      });
}

std::string SimplePlacer::ReadersDevice(
    const Graph& graph, const Node& node, const std::string& chosen,
    const absl::flat_hash_map<NodeId, std::string>& placed) const {
  std::string device;
  for (const OutEdge& edge : node.out_edges) {
    if (edge.port == kControlPort) continue;
    const auto it = placed.find(edge.dst);
    const std::string& reader =
        it != placed.end() ? it->second : graph.node(edge.dst)->assigned_device;
    if (reader.empty() || (!device.empty() && device != reader)) return chosen;
    device = reader;
  }
  const auto find = [&](const std::string& name) {
    return std::find_if(
        devices_.begin(), devices_.end(),
        [&](const PlaceableDevice& d) { return d.name == name; });
  };
  const auto here = find(chosen);
  const auto there = find(device);
  const bool may_follow = here != devices_.end() && there != devices_.end() &&
                          here->parsed.SameTask(there->parsed) &&
                          kernels_->Has(there->type, *node.op, node.attrs);
  return may_follow ? device : chosen;
}

Status SimplePlacer::Place(Graph* graph, NodeId first) {
  MR_ASSIGN_OR_RETURN(Requests requests, RequestsOf(*graph, first));
  MR_RETURN_IF_ERROR(MakeGroups(*graph, &requests));
  absl::flat_hash_map<NodeId, Group> groups;
  std::vector<NodeId> order;
  for (NodeId id = first; id < graph->num_ids(); ++id) {
    const Node* node = graph->node(id);
    if (node == nullptr || !node->assigned_device.empty()) continue;
    const NodeId root = groups_.Root(id);
    auto [it, added] = groups.try_emplace(root);
    if (added) order.push_back(root);
    it->second.members.push_back(id);
  }
  for (NodeId root : order) {
    const auto it = requests.find(root);
    if (it == requests.end()) continue;
    for (NodeId id : it->second.askers)
      MR_RETURN_IF_ERROR(CheckPinned(*graph->node(id)));
    Group& group = groups[root];
    group.requested = it->second.device;
    if (!it->second.askers.empty()) group.asking = it->second.askers[0];
  }
  // Members placed by an earlier call determine the device of their group.
  if (first > 0) {
    for (NodeId id = 0; id < graph->num_ids(); ++id) {
      const Node* node = graph->node(id);
      if (node == nullptr || node->assigned_device.empty()) continue;
      const auto it = groups.find(groups_.Root(id));
      if (it != groups.end()) it->second.placed = node->assigned_device;
    }
  }
  // Constants and feeds that may be anywhere are placed last, with their
  // readers.
  const auto follows = [&](const Group& group) {
    return group.members.size() == 1 && group.placed.empty() &&
           group.asking == kNoNode && IsGiven(*graph->node(group.members[0]));
  };
  absl::flat_hash_map<NodeId, std::string> devices;
  for (const bool following : {false, true}) {
    for (NodeId root : order) {
      const Group& group = groups[root];
      if (follows(group) != following) continue;
      std::string device = group.placed;
      if (device.empty()) {
        MR_ASSIGN_OR_RETURN(device, Choose(*graph, group));
      } else {
        const auto it = std::find_if(
            devices_.begin(), devices_.end(),
            [&](const PlaceableDevice& d) { return d.name == device; });
        const Node* blocker = nullptr;
        if (it != devices_.end() &&
            !CanRun(*graph, group, it->type, &blocker)) {
          return NoKernelError(*graph, group, *blocker, it->parsed);
        }
      }
      if (following) {
        device = ReadersDevice(*graph, *graph->node(group.members[0]), device,
                               devices);
      }
      for (NodeId id : group.members) devices.emplace(id, device);
    }
  }
  std::vector<std::pair<NodeId, std::string>> placed;
  for (NodeId root : order) {
    for (NodeId id : groups[root].members) placed.emplace_back(id, devices[id]);
  }
  for (auto& [id, device] : placed) {
    Node* node = graph->node(id);
    node->assigned_device = device;
    if (options_.log) {
      (*options_.log)(
          absl::StrCat(node->name, ": (", node->op->name, "): ", device));
    }
  }
  DebugVerifyGraph(*graph, GraphStage::kPlaced, "placement");
  return OkStatus();
}

}  // namespace millrace
