#include "millrace/exec/plan_set.h"

#include <algorithm>
#include <atomic>
#include <map>

#include "millrace/graph/verifier.h"
#include "millrace/kernel/variable_view.h"

namespace millrace {
namespace {

// Returns the nodes of one device, as a graph.
StatusOr<Graph> ExtractDevice(const Graph& graph, absl::string_view device) {
  Graph part(&graph.ops());
  part.library() = graph.library();
  part.versions() = graph.versions();
  std::vector<NodeId> copy(graph.num_ids(), kNoNode);
  for (NodeId id = 0; id < graph.num_ids(); ++id) {
    const Node* node = graph.node(id);
    if (node == nullptr || node->assigned_device != device) continue;
    MR_ASSIGN_OR_RETURN(
        Node* const added,
        part.AddNodeUnconnected(node->name, node->op->name, node->attrs,
                                node->assigned_device));
    added->assigned_device = node->assigned_device;
    added->fused = node->fused;
    copy[id] = added->id;
  }
  for (NodeId id = 0; id < graph.num_ids(); ++id) {
    if (copy[id] == kNoNode) continue;
    const Node& node = *graph.node(id);
    auto here = [&](NodeId src) -> StatusOr<NodeId> {
      if (copy[src] != kNoNode) return copy[src];
      return InvalidArgument(
          "{{node ", node.name, "}} on ", device, " has an edge from {{node ",
          graph.node(src)->name, "}} on ", graph.node(src)->assigned_device,
          "; edges between devices must be _Send and _Recv nodes");
    };
    for (int i = 0; i < node.num_inputs(); ++i) {
      MR_ASSIGN_OR_RETURN(const NodeId src, here(node.inputs[i].node));
      MR_RETURN_IF_ERROR(
          part.SetInput(part.node(copy[id]), i, {src, node.inputs[i].port}));
    }
    for (NodeId control : node.control_inputs) {
      MR_ASSIGN_OR_RETURN(const NodeId src, here(control));
      part.AddControlEdge(src, copy[id]);
    }
  }
  DebugVerifyGraph(part, GraphStage::kPartitioned, "the split by device");
  return part;
}

}  // namespace

StatusOr<std::shared_ptr<const PlanSet>> PlanSet::Build(
    const Graph& graph,
    absl::FunctionRef<Device*(absl::string_view)> find_device,
    KernelCache& kernels,
    const std::shared_ptr<const FunctionLibrary>& library) {
  std::map<std::string, int> devices;
  for (NodeId id = 0; id < graph.num_ids(); ++id) {
    if (const Node* node = graph.node(id)) ++devices[node->assigned_device];
  }
  auto source = [&](std::shared_ptr<const NodeInfo> node, Device& device) {
    return kernels.Get(std::move(node), device, library);
  };
  const PlanOptions options = {.table = &kernels.table()};
  std::vector<std::shared_ptr<const Plan>> plans;
  for (const auto& [name, count] : devices) {
    Device* device = find_device(name);
    if (device == nullptr) {
      for (NodeId id = 0; id < graph.num_ids(); ++id) {
        const Node* node = graph.node(id);
        if (node == nullptr || node->assigned_device != name) continue;
        return InvalidArgument("{{node ", node->name, "}} is assigned to '",
                               name, "', which is no device of this task");
      }
    }
    if (devices.size() == 1) {
      MR_ASSIGN_OR_RETURN(auto plan,
                          Plan::Build(graph, *device, source, options));
      plans.push_back(std::move(plan));
    } else {
      MR_ASSIGN_OR_RETURN(const Graph part, ExtractDevice(graph, name));
      MR_ASSIGN_OR_RETURN(auto plan,
                          Plan::Build(part, *device, source, options));
      plans.push_back(std::move(plan));
    }
  }
  return FromPlans(std::move(plans));
}

StatusOr<std::shared_ptr<const PlanSet>> PlanSet::FromPlans(
    std::vector<std::shared_ptr<const Plan>> plans) {
  auto set = std::make_shared<PlanSet>();
  for (const auto& plan : plans) {
    set->num_args_ = std::max(set->num_args_, plan->num_args());
    set->num_retvals_ = std::max(set->num_retvals_, plan->num_retvals());
    set->all_cheap_ &= plan->all_cheap();
    set->num_nodes_ += plan->nodes().size();
  }
  set->plans_ = std::move(plans);
  return std::shared_ptr<const PlanSet>(std::move(set));
}

void PlanSet::Run(std::shared_ptr<const PlanSet> plans, const PlanRun& run,
                  Done done) {
  if (plans->plans_.empty()) {
    std::move(done)(OkStatus());
    return;
  }
  if (run.retvals) run.retvals->resize(plans->num_retvals_);
  if (plans->plans_.size() == 1) {
    PlanRun whole = run;
    if (whole.result_views == ResultViews::kKeep) {
      whole.result_views = ResultViews::kBindAtEnd;
    }
    RunPlan(plans->plans_[0], whole, std::move(done));
    return;
  }
  struct Joint {
    Mutex mu;
    Status status;
    std::atomic<int> left;
    Done done;
    std::vector<Tensor>* retvals;
    Allocator* allocator;
  };
  auto joint = std::make_shared<Joint>();
  joint->retvals = run.retvals;
  joint->allocator = plans->plans_[0]->device().host_allocator();
  joint->left = static_cast<int>(plans->plans_.size());
  joint->done = std::move(done);
  // The calling thread may run the last plan itself after the others were
  // started.
  PlanRun part = run;
  part.may_use_caller = false;
  for (const auto& plan : plans->plans_) {
    if (plan == plans->plans_.back()) part.may_use_caller = run.may_use_caller;
    RunPlan(plan, part, Done([joint](Status status) {
              {
                MutexLock lock(joint->mu);
                UpdateStatus(joint->status, status);
              }
              if (joint->left.fetch_sub(1) == 1) {
                Done done = std::move(joint->done);
                if (joint->status.ok() && joint->retvals != nullptr) {
                  joint->status = BindAll(absl::MakeSpan(*joint->retvals),
                                          joint->allocator);
                }
                std::move(done)(joint->status);
              }
            }));
  }
}

}  // namespace millrace
