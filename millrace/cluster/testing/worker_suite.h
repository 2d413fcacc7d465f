// TestCluster: workers of one process, connected by loopback, for tests.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "millrace/base/check.h"
#include "millrace/base/random.h"
#include "millrace/base/sim/sim.h"
#include "millrace/cluster/peers.h"
#include "millrace/cluster/worker/worker_service.h"
#include "millrace/device/devices.h"
#include "millrace/graph/all_ops.h"
#include "millrace/kernel/all_kernels.h"
#include "millrace/kernel/rendezvous.h"
#include "millrace/rpc/loopback/loopback.h"

namespace millrace {

inline constexpr char kPs[] = "/job:ps/task:0";
inline constexpr char kCluster[] = "ps=ps0:1;worker=w0:1";
inline constexpr DataType kFloat = DataType::kFloat;

// The tables of all ops and CPU kernels.
inline const OpRegistry* TestOps() {
  static const OpRegistry* const ops =
      OpRegistry::Build(AllOps()).value().release();
  return ops;
}
inline const KernelTable* TestKernels() {
  static const KernelTable* const kernels =
      new KernelTable(KernelTable::Build(AllKernels()).value());
  return kernels;
}

// Calls a method of WorkerApi and waits for its end.
template <class Request, class Reply>
StatusOr<Reply> Ask(WorkerApi& api,
                    void (WorkerApi::*method)(CallContext&, const Request&,
                                              Reply*, Done),
                    const Request& request, CallContext context = {}) {
  Reply reply;
  Status status;
  Notification done;
  (api.*method)(context, request, &reply, [&](Status s) {
    status = std::move(s);
    done.Notify();
  });
  done.Wait();
  MR_RETURN_IF_ERROR(status);
  return reply;
}

// A call that is in flight while the test goes on.
template <class Request, class Reply>
struct PendingReply {
  const Request request;
  CancelScope scope;
  CallContext context;
  Reply reply;
  Status status;
  Notification done;

  PendingReply(WorkerApi& api,
               void (WorkerApi::*method)(CallContext&, const Request&, Reply*,
                                         Done),
               Request r)
      : request(std::move(r)) {
    context.cancel = &scope;
    (api.*method)(context, request, &reply, [this](Status s) {
      status = std::move(s);
      done.Notify();
    });
  }
  ~PendingReply() { done.Wait(); }
  const Status& Wait() {
    done.Wait();
    return status;
  }
};

// One task: what a server has of it. In a simulation a process of its own.
struct TestTask {
  SimProcess process = 0;
  std::unique_ptr<WorkerService> service;
  std::unique_ptr<Peers> peers;
  std::unique_ptr<Listener> listener;

  WorkerApi& api() { return *service; }
  Device& device() const { return *service->devices()[0]; }
};

class TestCluster {
 public:
  // "ps=ps0:1;worker=w0:1": hosts are names of the loopback network. The times
  // in `defaults` apply to all tasks.
  explicit TestCluster(const std::string& cluster,
                       WorkerServiceOptions defaults = {})
      : spec_(ClusterSpec::Parse(cluster).value()),
        defaults_(std::move(defaults)),
        network_(std::make_shared<LoopbackNetwork>()) {
    for (const TaskName& task : spec_.Tasks()) Start(task);
  }
  ~TestCluster() {
    while (!tasks_.empty()) Stop(tasks_.begin()->first);
  }

  TestTask& operator[](const std::string& name) {
    return *tasks_.at(TaskName::Parse(name).value());
  }
  const ClusterSpec& spec() const { return spec_; }
  const std::shared_ptr<LoopbackNetwork>& network() const { return network_; }
  // Returns the stub by which task `from` reaches task `to`.
  WorkerApi& Stub(const std::string& from, const std::string& to) {
    return (*this)[from]
        .peers->Find(TaskName::Parse(to).value())
        .value()
        ->worker();
  }

  void Start(const TaskName& name) {
    auto task = std::make_unique<TestTask>();
    if (SimWorld* world = SimWorld::Current())
      task->process = world->AddProcess(name.ToString());
    SimProcessScope scope(task->process);
    WorkerServiceOptions options;
    options.task = name;
    options.devices =
        MakeDevices(DeviceOptions(), name.job, name.index).value();
    options.ops = TestOps();
    options.kernels = TestKernels();
    options.transport = network_;
    options.probe_interval_ms = defaults_.probe_interval_ms;
    options.probe_misses = defaults_.probe_misses;
    options.master_lost_ms = defaults_.master_lost_ms;
    options.early_recv_ms = defaults_.early_recv_ms;
    task->service = WorkerService::Make(std::move(options)).value();
    PeersOptions peers;
    peers.self = name;
    peers.cluster = spec_;
    peers.transport = network_;
    peers.self_worker = task->service.get();
    peers.probe_interval_ms = defaults_.probe_interval_ms;
    peers.probe_misses = defaults_.probe_misses;
    task->peers = MakePeers(std::move(peers));
    task->service->SetPeers(task->peers.get());
    const std::string address = spec_.Address(name).value();
    ListenOptions listen;
    listen.host = address.substr(0, address.find(':'));
    listen.port = std::stoi(address.substr(address.find(':') + 1));
    task->listener =
        network_->Listen(listen, {.worker = task->service.get()}).value();
    tasks_[name] = std::move(task);
  }
  // Ends the task as a kill would.
  void Kill(const std::string& name) {
    const TaskName task = TaskName::Parse(name).value();
    tasks_.at(task)->listener->Kill();
    Stop(task);
  }
  void Stop(const TaskName& name) {
    auto task = std::move(tasks_.at(name));
    tasks_.erase(name);
    SimProcessScope scope(task->process);
    task->service->Stop(Aborted("the test stops the server"));
    task->service->CancelRuns(Aborted("the test stops the server"));
    task->listener.reset();
    task->service->Join();
    task->service.reset();
  }

 private:
  const ClusterSpec spec_;
  const WorkerServiceOptions defaults_;
  const std::shared_ptr<LoopbackNetwork> network_;
  std::map<TaskName, std::unique_ptr<TestTask>> tasks_;
};

// ---- Graphs built by hand.

inline NodeDef MakeNode(std::string name, std::string op,
                        std::vector<std::string> inputs, const Device& device,
                        AttrMap attrs = {}) {
  return {std::move(name), std::move(op), std::move(inputs), device.name(),
          std::move(attrs)};
}

inline NodeDef ConstNode(const std::string& name, const Tensor& value,
                         const Device& device) {
  return MakeNode(name, "Const", {}, device,
                  {{"dtype", value.dtype()}, {"value", value}});
}

inline AttrMap TransferAttrs(const std::string& tensor, const Device& from,
                             const Device& to, bool client) {
  return {{"tensor_name", tensor},
          {"send_device", from.name()},
          {"send_device_incarnation",
           static_cast<int64_t>(from.attributes().incarnation)},
          {"recv_device", to.name()},
          {"client_terminated", client}};
}

inline NodeDef SendNode(const std::string& input, const std::string& tensor,
                        DataType type, const Device& from, const Device& to,
                        bool client = false) {
  AttrMap attrs = TransferAttrs(tensor, from, to, client);
  attrs.Set("T", type);
  return MakeNode(absl::StrCat("send_", tensor), "_Send", {input}, from,
                  std::move(attrs));
}

inline NodeDef RecvNode(const std::string& tensor, DataType type,
                        const Device& from, const Device& to,
                        bool client = false) {
  AttrMap attrs = TransferAttrs(tensor, from, to, client);
  attrs.Set("tensor_type", type);
  return MakeNode(absl::StrCat("recv_", tensor), "_Recv", {}, to,
                  std::move(attrs));
}

inline std::string KeyOf(const std::string& tensor, const Device& from,
                         const Device& to) {
  RendezvousKey key;
  key.send_device = from.name();
  key.send_incarnation = from.attributes().incarnation;
  key.recv_device = to.name();
  key.tensor_name = tensor;
  return key.ToString();
}

// ---- Requests.

inline Status MakeSession(WorkerApi& api, const std::string& handle,
                          const std::string& master = "",
                          uint64_t incarnation = 0) {
  CreateWorkerSessionRequest request;
  request.session_handle = handle;
  request.master_task = master;
  request.master_incarnation = static_cast<int64_t>(incarnation);
  return Ask(api, &WorkerApi::CreateWorkerSession, request).status();
}

inline StatusOr<std::string> Register(WorkerApi& api,
                                      const std::string& session,
                                      std::vector<NodeDef> nodes) {
  RegisterGraphRequest request;
  request.session_handle = session;
  request.create_worker_session_called = true;
  request.graph_def.nodes = std::move(nodes);
  request.graph_def.versions.producer = kGraphDefVersion;
  MR_ASSIGN_OR_RETURN(RegisterGraphReply reply,
                      Ask(api, &WorkerApi::RegisterGraph, request));
  return reply.graph_handle;
}

inline RunGraphRequest RunRequest(const std::string& session,
                                  const std::string& graph, int64_t step_id) {
  RunGraphRequest request;
  request.session_handle = session;
  request.graph_handle = graph;
  request.step_id = step_id;
  request.request_id = static_cast<int64_t>(RandomUint64() >> 1);
  request.create_worker_session_called = true;
  request.store_errors_in_response_body = true;
  return request;
}

// Returns the step's own status, which is in the body.
inline StatusOr<RunGraphReply> RunGraph(WorkerApi& api,
                                        const RunGraphRequest& request,
                                        CallContext context = {}) {
  MR_ASSIGN_OR_RETURN(RunGraphReply reply, Ask(api, &WorkerApi::RunGraph,
                                               request, std::move(context)));
  MR_RETURN_IF_ERROR(reply.status);
  return reply;
}

}  // namespace millrace
