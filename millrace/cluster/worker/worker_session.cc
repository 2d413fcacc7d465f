#include "millrace/cluster/worker/worker_session.h"

#include <utility>

#include "millrace/cluster/worker/partial_run.h"
#include "millrace/cluster/worker/run_graph.h"
#include "millrace/cluster/worker/worker_state.h"
#include "millrace/device/devices.h"
#include "millrace/kernel/resource.h"
#include "millrace/pass/rewrites.h"

namespace millrace {
namespace {

// Number of ended requests that are remembered.
constexpr size_t kRunsRemembered = 4096;

}  // namespace

WorkerSession::WorkerSession(WorkerState& worker,
                             const CreateWorkerSessionRequest& request)
    : handle_(request.session_handle),
      master_task_(request.master_task),
      master_incarnation_(request.master_incarnation),
      ops_(worker.options.ops),
      differentiate_(worker.options.differentiate),
      pool_(&worker.lanes.inter_op),
      task_(worker.options.task),
      peers_(worker.peers),
      scope_(&worker.scope),
      kernels_(worker.options.kernels),
      runs_(kRunsRemembered) {}

WorkerSession::~WorkerSession() {
  if (targets_ != nullptr) targets_->End();
}

StatusOr<Ref<WorkerSession>> WorkerSession::Make(
    WorkerState& worker, const CreateWorkerSessionRequest& request) {
  Ref<WorkerSession> session =
      Ref<WorkerSession>::Adopt(new WorkerSession(worker, request));
  const ServerDef& def = request.server_def;
  if (!def.cluster.jobs.empty()) {
    session->task_ = TaskName{def.job_name, def.task_index};
    PeersOptions peers;
    peers.self = session->task_;
    MR_ASSIGN_OR_RETURN(peers.cluster, ClusterSpec::FromDef(def.cluster));
    MR_RETURN_IF_ERROR(peers.cluster.Address(session->task_).status());
    peers.transport = worker.options.transport;
    peers.self_worker = worker.api;
    peers.probe_interval_ms = worker.options.probe_interval_ms;
    peers.probe_misses = worker.options.probe_misses;
    peers.rename_devices = true;
    peers.lanes = &worker.lanes;
    peers.traffic = worker.options.traffic;
    if (peers.transport == nullptr) {
      return Unimplemented(
          "this worker cannot reach the tasks of another cluster");
    }
    session->own_peers_ = MakePeers(std::move(peers));
    session->peers_ = session->own_peers_.get();
  }
  const StatusOr<TaskName> master = TaskName::Parse(request.master_task);
  session->master_is_elsewhere_ = master.ok() && *master != session->task_;
  const bool renamed = session->task_ != worker.options.task;
  for (const auto& device : worker.options.devices) {
    if (request.isolate_session_state) {
      MR_ASSIGN_OR_RETURN(
          std::unique_ptr<Device> own,
          CloneDevice(*device, session->task_.job, session->task_.index));
      session->own_devices_.push_back(std::move(own));
      session->devices_.push_back(session->own_devices_.back().get());
    } else if (renamed) {
      MR_ASSIGN_OR_RETURN(Device* const shared,
                          worker.renamed_devices.Find(*device, session->task_));
      session->devices_.push_back(shared);
    } else {
      session->devices_.push_back(device.get());
    }
  }
  session->key_prefix_ = std::make_shared<const std::string>(
      absl::StrCat(session->task_.ToString(), "/"));
  // The server's own peers outlive every session.
  session->targets_ = std::make_shared<RemoteFunctions>(
      worker, request, session->task_,
      session->own_peers_ != nullptr
          ? session->own_peers_
          : std::shared_ptr<Peers>(std::shared_ptr<Peers>(), session->peers_),
      session->devices_);
  return session;
}

Device* WorkerSession::FindDevice(absl::string_view name) const {
  for (Device* device : devices_) {
    if (device->name() == name) return device;
  }
  return nullptr;
}

StatusOr<std::string> WorkerSession::RegisterGraph(
    const RegisterGraphRequest& request) {
  const GraphTable::Content content = GraphTable::ContentOf(request);
  {
    MutexLock lock(mu_);
    MR_ASSIGN_OR_RETURN(std::string handle, graphs_.Find(request, content));
    if (!handle.empty()) return handle;
  }
  // Outside the lock: this is most of the work of a session's first step.
  const auto find_device = [this](absl::string_view name) {
    return FindDevice(name);
  };
  MR_ASSIGN_OR_RETURN(
      std::unique_ptr<RegisteredGraph> built,
      RegisteredGraph::Build(request.graph_def,
                             {ops_, &kernels_, pool_, find_device,
                              Rewrites::Of(request.graph_options).fuse,
                              differentiate_, targets_}));
  num_plans_->fetch_add(1, std::memory_order_relaxed);
  const std::shared_ptr<RegisteredGraph> graph(
      built.release(), [count = num_plans_](RegisteredGraph* ended) {
        delete ended;
        count->fetch_sub(1, std::memory_order_relaxed);
      });
  MutexLock lock(mu_);
  return graphs_.Add(request, content, graph);
}

std::shared_ptr<RegisteredGraph> WorkerSession::DeregisterGraph(
    const std::string& handle) {
  MutexLock lock(mu_);
  return graphs_.Remove(handle);
}

StatusOr<std::shared_ptr<const PlanSet>> WorkerSession::BuildPartialPlans(
    RegisteredGraph& graph) {
  const auto find_device = [this](absl::string_view name) {
    return FindDevice(name);
  };
  return graph.BuildPartialPlans({ops_, &kernels_, pool_, find_device});
}

StatusOr<std::shared_ptr<RegisteredGraph>> WorkerSession::FindGraph(
    const std::string& handle) {
  MutexLock lock(mu_);
  if (std::shared_ptr<RegisteredGraph> graph = graphs_.Get(handle)) {
    return graph;
  }
  return Aborted("Graph handle is not found: ", handle, ". Session ", handle_,
                 " at ", task_.ToString(), " has ", graphs_.num_handles(),
                 " graphs.");
}

WorkerSession::Counts WorkerSession::counts() const {
  Counts counts;
  counts.kernels = kernels_.num_kernels();
  counts.plans = num_plans_->load(std::memory_order_relaxed);
  MutexLock lock(mu_);
  counts.graphs = graphs_.num_handles();
  return counts;
}

Ref<PartialRun> WorkerSession::FindPartialRun(int64_t step_id) {
  MutexLock lock(mu_);
  const auto it = partial_runs_.find(step_id);
  return it == partial_runs_.end() ? nullptr : it->second;
}

bool WorkerSession::AddPartialRun(int64_t step_id, const Ref<PartialRun>& run) {
  MutexLock lock(mu_);
  return partial_runs_.try_emplace(step_id, run).second;
}

void WorkerSession::RemovePartialRun(int64_t step_id) {
  Ref<PartialRun> removed;  // released after the lock
  MutexLock lock(mu_);
  const auto it = partial_runs_.find(step_id);
  if (it == partial_runs_.end()) return;
  removed = std::move(it->second);
  partial_runs_.erase(it);
}

void WorkerSession::End(const Status& reason) {
  scope_.Cancel(reason);
  targets_->End();
  absl::btree_map<int64_t, Ref<PartialRun>> partial_runs;
  {
    MutexLock lock(mu_);
    partial_runs.swap(partial_runs_);
  }
  for (const auto& device : own_devices_) device->resources().ClearAll();
  tensors_.Clear();
}

}  // namespace millrace
