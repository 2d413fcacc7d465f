#include "millrace/cluster/worker/worker_service.h"

#include <utility>

#include "absl/strings/match.h"
#include "millrace/cluster/worker/partial_run.h"
#include "millrace/cluster/worker/recv_tensor.h"
#include "millrace/cluster/worker/run_graph.h"
#include "millrace/cluster/worker/worker_state.h"
#include "millrace/kernel/resource.h"
#include "millrace/kernel/variable.h"

namespace millrace {
namespace {

void CountResources(Device& device, WorkerCounts* counts) {
  for (const ResourceStore::Info& info : device.resources().List()) {
    if (absl::StrContains(info.type, "Queue")) ++counts->queues;
    if (info.type != Variable::kTypeName) continue;
    ++counts->variables;
    const auto variable =
        device.resources().Lookup<Variable>(info.container, info.name);
    if (!variable.ok()) continue;
    const StatusOr<TensorShape> shape = (*variable)->Shape();
    if (!shape.ok()) continue;
    counts->variable_bytes +=
        shape->num_elements() *
        static_cast<int64_t>(SizeOf((*variable)->dtype()));
  }
}

class TaskWorker final : public WorkerService {
 public:
  explicit TaskWorker(WorkerServiceOptions options)
      : state_(std::move(options)) {
    state_.api = this;
  }

  ~TaskWorker() override {
    const Status reason =
        Aborted("the server ", state_.task_name, " is stopping");
    Stop(reason);
    CancelRuns(reason);
    Join();
  }

  void SetPeers(Peers* peers) override { state_.peers = peers; }

  const std::vector<std::unique_ptr<Device>>& devices() const override {
    return state_.options.devices;
  }

  WorkerCounts counts() const override {
    WorkerCounts counts;
    const SessionTable::Counts sessions = state_.sessions.counts();
    counts.sessions = sessions.sessions;
    counts.graphs = sessions.graphs;
    counts.plans = sessions.plans;
    counts.kernels = sessions.kernels;
    const StepTable::Counts steps = state_.steps->counts();
    counts.running_steps = steps.running;
    counts.steps = steps.steps;
    counts.rendezvous_entries = steps.rendezvous_entries;
    for (const auto& device : state_.options.devices)
      CountResources(*device, &counts);
    for (const Ref<WorkerSession>& session : state_.sessions.All()) {
      for (const auto& device : session->own_devices())
        CountResources(*device, &counts);
    }
    counts.steps_done = state_.steps_done.load(std::memory_order_relaxed);
    counts.steps_failed = state_.steps_failed.load(std::memory_order_relaxed);
    return counts;
  }

  std::vector<ServerWait> waits(int max) const override {
    std::vector<ServerWait> waits;
    state_.steps->AppendWaits(static_cast<size_t>(max), &waits);
    return waits;
  }

  void Stop(Status reason) override { state_.Refuse(std::move(reason)); }

  void CancelRuns(Status reason) override {
    state_.sessions.EndAll(reason);
    state_.steps->EndAll(reason);
    state_.scope.Cancel(reason);
  }

  void Join() override {
    state_.masters->Stop();
    state_.Join();
  }

  // ---- WorkerApi.

  void GetStatus(CallContext&, const GetStatusRequest&, GetStatusReply* reply,
                 Done done) override {
    for (const auto& device : state_.options.devices) {
      reply->device_attributes.push_back(device->attributes());
    }
    std::move(done)(OkStatus());
  }

  void CreateWorkerSession(CallContext&,
                           const CreateWorkerSessionRequest& request,
                           CreateWorkerSessionReply*, Done done) override {
    Status status = state_.refusal();
    if (status.ok()) status = state_.sessions.Create(request);
    std::move(done)(std::move(status));
  }

  void DeleteWorkerSession(CallContext&,
                           const DeleteWorkerSessionRequest& request,
                           DeleteWorkerSessionReply*, Done done) override {
    state_.sessions.Delete(request.session_handle);
    std::move(done)(OkStatus());
  }

  void RegisterGraph(CallContext&, const RegisterGraphRequest& request,
                     RegisterGraphReply* reply, Done done) override {
    const ActiveCall active(state_);  // destroyed after the session
    Status status = state_.refusal();
    StatusOr<Ref<WorkerSession>> session =
        state_.sessions.Find(request.session_handle);
    if (status.ok()) status = session.status();
    if (!status.ok()) {
      std::move(done)(std::move(status));
      return;
    }
    // Building the plans of a large graph takes long.
    state_.lanes.inter_op.Schedule(
        [active = std::make_unique<ActiveCall>(state_),
         session = *std::move(session), &request, reply,
         done = std::move(done)]() mutable {
          StatusOr<std::string> handle = session->RegisterGraph(request);
          if (handle.ok()) reply->graph_handle = *handle;
          session.reset();
          std::move(done)(handle.status());
        });
  }

  void DeregisterGraph(CallContext&, const DeregisterGraphRequest& request,
                       DeregisterGraphReply*, Done done) override {
    const ActiveCall active(state_);  // destroyed after the session
    StatusOr<Ref<WorkerSession>> session =
        state_.sessions.Find(request.session_handle);
    std::shared_ptr<RegisteredGraph> graph;
    if (session.ok()) graph = (*session)->DeregisterGraph(request.graph_handle);
    // OK if there is none: the request may be a duplicate, or come after the
    // session's end.
    if (graph == nullptr) {
      std::move(done)(OkStatus());
      return;
    }
    // A large graph has many kernels to destroy.
    state_.lanes.inter_op.Schedule(
        [active = std::make_unique<ActiveCall>(state_),
         session = *std::move(session), graph = std::move(graph),
         done = std::move(done)]() mutable {
          graph.reset();
          session.reset();
          std::move(done)(OkStatus());
        });
  }

  void RunGraph(CallContext& context, const RunGraphRequest& request,
                RunGraphReply* reply, Done done) override {
    // Destroyed after the session, whose last reference this may be once `done`
    // has run: its kernels use the server's devices to their end.
    const ActiveCall active(state_);
    Status status = state_.refusal();
    if (status.ok()) status = context.Check();
    Ref<WorkerSession> session;
    std::shared_ptr<RegisteredGraph> graph;
    if (status.ok()) status = FindGraph(request, &session, &graph);
    if (!status.ok()) {
      AnswerRunGraph(request, std::move(status), reply, std::move(done));
      return;
    }
    if (request.is_partial) {
      PartialRun::Serve(state_, std::move(session), std::move(graph), context,
                        request, reply, std::move(done));
      return;
    }
    const auto call = MakeRef<RunGraphCall>(state_, session, std::move(graph),
                                            request, context.deadline);
    const StatusOr<Ref<RunGraphCall>> there =
        session->runs().Begin(request.request_id, call);
    if (there.ok() && *there == nullptr) {
      call->Attach(context, reply, done);
      call->Start();
      return;
    }
    if (there.ok() && (*there)->Attach(context, reply, done)) return;
    AnswerRunGraph(
        request,
        there.ok()
            ? Aborted("The same request was received before, and has ended.")
            : there.status(),
        reply, std::move(done));
  }

  void CleanupGraph(CallContext&, const CleanupGraphRequest& request,
                    CleanupGraphReply*, Done done) override {
    state_.steps->CleanUp(request.step_id);
    std::move(done)(OkStatus());
  }

  void CleanupAll(CallContext&, const CleanupAllRequest& request,
                  CleanupAllReply*, Done done) override {
    for (const auto& device : state_.options.devices) {
      if (request.containers.empty()) device->resources().Clear("");
      for (const std::string& container : request.containers) {
        device->resources().Clear(container);
      }
    }
    // Nobody will ask soon for as much as the variables took.
    for (const auto& device : state_.options.devices) {
      device->host_allocator()->Trim();
    }
    std::move(done)(OkStatus());
  }

  void RecvTensor(CallContext& context, const RecvTensorRequest& request,
                  RecvTensorReply* reply, Done done) override {
    RecvTensorCall::Serve(state_, context, request, reply, std::move(done));
  }

  void Logging(CallContext&, const LoggingRequest&, LoggingReply*,
               Done done) override {
    std::move(done)(OkStatus());
  }
  void Tracing(CallContext&, const TracingRequest&, TracingReply*,
               Done done) override {
    std::move(done)(OkStatus());
  }
  void MarkRecvFinished(CallContext&, const MarkRecvFinishedRequest&,
                        MarkRecvFinishedReply*, Done done) override {
    std::move(done)(OkStatus());
  }

#define MR_NOT_OFFERED(Name)                                               \
  void Name(CallContext&, const Name##Request&, Name##Reply*, Done done)   \
      override {                                                           \
    std::move(done)(                                                       \
        Unimplemented(#Name " is not offered by ", state_.task_name,       \
                      ": this server takes no part in stock TensorFlow's " \
                      "collectives"));                                     \
  }
  MR_NOT_OFFERED(RecvBuf)
  MR_NOT_OFFERED(CompleteGroup)
  MR_NOT_OFFERED(CompleteInstance)
  MR_NOT_OFFERED(GetStepSequence)
#undef MR_NOT_OFFERED

 private:
  Status FindGraph(const RunGraphRequest& request, Ref<WorkerSession>* session,
                   std::shared_ptr<RegisteredGraph>* graph) const {
    MR_ASSIGN_OR_RETURN(*session, state_.sessions.Find(request.session_handle));
    MR_ASSIGN_OR_RETURN(*graph, (*session)->FindGraph(request.graph_handle));
    return OkStatus();
  }

  WorkerState state_;
};

}  // namespace

StatusOr<std::unique_ptr<WorkerService>> WorkerService::Make(
    WorkerServiceOptions options) {
  if (options.devices.empty())
    return InvalidArgument("a worker needs at least one device");
  if (options.ops == nullptr || options.kernels == nullptr) {
    return InvalidArgument("a worker needs the tables of ops and kernels");
  }
  return std::unique_ptr<WorkerService>(
      std::make_unique<TaskWorker>(std::move(options)));
}

}  // namespace millrace
