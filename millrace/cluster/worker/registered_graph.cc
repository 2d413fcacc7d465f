#include "millrace/cluster/worker/registered_graph.h"

#include <utility>

#include "millrace/exec/node_kind.h"
#include "millrace/graph/builtin_ops.h"
#include "millrace/graph/import.h"
#include "millrace/kernel/rendezvous.h"
#include "millrace/pass/fuse_nodes.h"

namespace millrace {
namespace {

// Returns the key of a client-terminated transfer outside of loops; "" for
// others.
StatusOr<std::string> ClientKey(const Node& node,
                                const GraphEnvironment& environment,
                                std::string* tensor_name) {
  const AttrValue* client = node.attrs.Find("client_terminated");
  if (KindOf(*node.op) != NodeKind::kTransfer || client == nullptr)
    return std::string();
  MR_ASSIGN_OR_RETURN(const bool terminated,
                      GetAttr<bool>(node.attrs, "client_terminated"));
  if (!terminated) return std::string();
  RendezvousKey key;
  MR_ASSIGN_OR_RETURN(key.send_device,
                      GetAttr<std::string>(node.attrs, "send_device"));
  MR_ASSIGN_OR_RETURN(key.recv_device,
                      GetAttr<std::string>(node.attrs, "recv_device"));
  if (key.send_device != key.recv_device ||
      environment.find_device(key.send_device) == nullptr) {
    return std::string();
  }
  MR_ASSIGN_OR_RETURN(key.tensor_name,
                      GetAttr<std::string>(node.attrs, "tensor_name"));
  MR_ASSIGN_OR_RETURN(const int64_t incarnation,
                      GetAttr<int64_t>(node.attrs, "send_device_incarnation"));
  key.send_incarnation = static_cast<uint64_t>(incarnation);
  *tensor_name = key.tensor_name;
  return key.ToString();
}

}  // namespace

StatusOr<std::unique_ptr<RegisteredGraph>> RegisteredGraph::Build(
    const GraphDef& def, const GraphEnvironment& environment) {
  std::unique_ptr<RegisteredGraph> made(new RegisteredGraph(environment.ops));
  MR_RETURN_IF_ERROR(ImportGraphDef({}, def, &made->graph_));
  MR_RETURN_IF_ERROR(made->AssignDevices(environment));
  made->library_ =
      std::make_shared<const FunctionLibrary>(made->graph_.library());
  made->functions_ = std::make_unique<FunctionRuntime>(
      FunctionRuntimeOptions{.ops = environment.ops,
                             .kernels = environment.kernels,
                             .pool = environment.pool,
                             .differentiate = environment.differentiate,
                             .targets = environment.targets});
  made->functions_->SetLibrary(made->library_);
  MR_ASSIGN_OR_RETURN(Graph graph, made->WithSlots(environment));
  if (environment.fuse) {
    MR_RETURN_IF_ERROR(FuseNodes(environment.kernels->table(), &graph));
  }
  MR_ASSIGN_OR_RETURN(made->plans_,
                      PlanSet::Build(graph, environment.find_device,
                                     *environment.kernels, made->library_));
  return made;
}

Status RegisteredGraph::AssignDevices(const GraphEnvironment& environment) {
  absl::flat_hash_map<std::string, std::string> canonical;
  for (NodeId id = 0; id < graph_.num_ids(); ++id) {
    Node* node = graph_.node(id);
    if (node == nullptr) continue;
    auto [it, added] = canonical.try_emplace(node->requested_device);
    if (added) {
      // Other spellings of a full name are accepted, too.
      const StatusOr<DeviceName> parsed =
          DeviceName::Parse(node->requested_device);
      const std::string name =
          parsed.ok() ? parsed->ToString() : node->requested_device;
      if (environment.find_device(name) == nullptr) {
        return InvalidArgument("{{node ", node->name, "}} is assigned to '",
                               node->requested_device,
                               "', which is no device of this task");
      }
      it->second = name;
    }
    node->assigned_device = it->second;
  }
  return OkStatus();
}

StatusOr<Graph> RegisteredGraph::WithSlots(
    const GraphEnvironment& environment) {
  Graph graph = graph_.Clone();
  for (NodeId id = 0; id < graph.num_ids(); ++id) {
    Node* node = graph.node(id);
    if (node == nullptr) continue;
    if (node->IsOp(builtin::kArg) || node->IsOp(builtin::kRetval)) {
      return InvalidArgument(
          "{{node ", node->name, "}} is of op ", node->op->name,
          ", which a registered graph cannot have: it stands for what a "
          "function gets or gives");
    }
    std::string tensor_name;
    MR_ASSIGN_OR_RETURN(const std::string key,
                        ClientKey(*node, environment, &tensor_name));
    if (key.empty()) continue;
    const bool is_arg = node->num_outputs() == 1;
    auto& slots = is_arg ? args_ : retvals_;
    const DataType type =
        is_arg ? node->output_types[0] : RemoveRef(node->input_types[0]);
    const auto [it, added] = slots.try_emplace(
        key, Slot{static_cast<int>(slots.size()), type, tensor_name});
    if (!added && (!is_arg || it->second.dtype != type)) {
      return InvalidArgument("{{node ", node->name,
                             "}}: there is another node for the key ", key);
    }
    // Changes the node in place: its edges stay, and the types are the same.
    MR_ASSIGN_OR_RETURN(
        node->op, graph.LookupOp(is_arg ? builtin::kArg : builtin::kRetval));
    node->attrs = AttrMap(
        {{"T", type}, {"index", static_cast<int64_t>(it->second.index)}});
  }
  return graph;
}

std::shared_ptr<const PlanSet> RegisteredGraph::partial_plans() const {
  MutexLock lock(mu_);
  return partial_plans_;
}

StatusOr<std::shared_ptr<const PlanSet>> RegisteredGraph::BuildPartialPlans(
    const GraphEnvironment& environment) {
  MutexLock building(building_);
  std::shared_ptr<const PlanSet> plans = partial_plans();
  if (plans != nullptr) return plans;
  MR_ASSIGN_OR_RETURN(plans, PlanSet::Build(graph_, environment.find_device,
                                            *environment.kernels, library_));
  MutexLock lock(mu_);
  partial_plans_ = plans;
  return plans;
}

const RegisteredGraph::Slot* RegisteredGraph::FindArg(
    absl::string_view key) const {
  const auto it = args_.find(key);
  return it == args_.end() ? nullptr : &it->second;
}

const RegisteredGraph::Slot* RegisteredGraph::FindRetval(
    absl::string_view key) const {
  const auto it = retvals_.find(key);
  return it == retvals_.end() ? nullptr : &it->second;
}

GraphDef RegisteredGraph::ToGraphDef() const { return ExportGraphDef(graph_); }

}  // namespace millrace
