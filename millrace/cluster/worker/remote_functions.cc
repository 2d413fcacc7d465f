#include "millrace/cluster/worker/remote_functions.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "millrace/base/random.h"
#include "millrace/cluster/master/run/edge_values.h"
#include "millrace/cluster/worker/worker_state.h"
#include "millrace/graph/builtin_ops.h"
#include "millrace/graph/graph.h"
#include "millrace/graph/graph_proto.h"

namespace millrace {
namespace {

constexpr int64_t kCreateSessionMs = 5'000;
constexpr int64_t kCleanupMs = 10'000;
// Otherwise the session stays there for as long as that server lives.
constexpr int64_t kDeleteSessionMs = 120'000;

int64_t NewRemoteStepId() {
  const uint64_t id = RandomUint64() & ((uint64_t{1} << 56) - 1);
  return id != 0 ? static_cast<int64_t>(id) : 1;
}

// Returns a graph of one call, whose arguments and results are the graph's.
GraphDef GraphOfCall(const RemoteFunction& function,
                     const std::vector<Tensor>& args) {
  GraphDef def;
  AttrValue::TypeList arg_types;
  NodeDef call;
  call.name = "call";
  call.op = builtin::kStatefulCall;
  call.device = function.device;
  for (size_t i = 0; i < args.size(); ++i) {
    const std::string name = absl::StrCat("arg_", i);
    def.nodes.push_back(
        {name,
         builtin::kArg,
         {},
         function.device,
         {{"T", args[i].dtype()}, {"index", static_cast<int64_t>(i)}}});
    arg_types.push_back(args[i].dtype());
    call.inputs.push_back(name);
  }
  call.attrs.Set("Tin", std::move(arg_types));
  call.attrs.Set("Tout", AttrValue::TypeList(function.result_types));
  call.attrs.Set("f", function.function);
  def.nodes.push_back(std::move(call));
  for (size_t i = 0; i < function.result_types.size(); ++i) {
    def.nodes.push_back({absl::StrCat("result_", i),
                         builtin::kRetval,
                         {absl::StrCat("call:", i)},
                         function.device,
                         {{"T", function.result_types[i]},
                          {"index", static_cast<int64_t>(i)}}});
  }
  def.library = function.library->ToDef();
  def.versions.producer = kGraphDefVersion;
  return def;
}

}  // namespace

// One call: registers the function unless it is registered, runs it, and
// cleans up.
class RemoteFunctions::Call final : public RefCounted {
 public:
  Call(std::shared_ptr<RemoteFunctions> owner, Ref<Peer> peer,
       const StepEnvironment& environment, RemoteFunction function,
       std::vector<Tensor> args, FunctionRunner::RunDone done)
      : active_(owner->worker_),
        owner_(std::move(owner)),
        peer_(std::move(peer)),
        cancel_(environment.cancel),
        function_(std::move(function)),
        args_(std::move(args)),
        done_(std::move(done)) {
    context_.deadline = environment.deadline;
    context_.cancel = environment.cancel;
    key_ = absl::StrCat(function_.device, "\n",
                        SerializeAttrValue(function_.function));
    for (const Tensor& arg : args_)
      absl::StrAppend(&key_, "\n", DataTypeName(arg.dtype()));
    for (const DataType type : function_.result_types)
      absl::StrAppend(&key_, "\n>", DataTypeName(type));
  }

  void Start() {
    if (!peer_->devices().empty()) return OnIdentified(OkStatus());
    peer_->Identify(context_, Then(&Call::OnIdentified));
  }

 private:
  ~Call() override = default;

  Done Then(void (Call::*next)(Status)) {
    return Done([self = Ref<Call>::Share(this), next](Status status) {
      ((*self).*next)(std::move(status));
    });
  }

  void OnIdentified(Status status) {
    if (!status.ok()) return Finish(std::move(status));
    const std::vector<DeviceAttributes> devices = peer_->devices();
    const auto device = std::find_if(devices.begin(), devices.end(),
                                     [this](const DeviceAttributes& d) {
                                       return d.name == function_.device;
                                     });
    if (device == devices.end())
      return Finish(InvalidArgument(function_.device, " unknown device."));
    incarnation_ = device->incarnation;
    registered_ = owner_->FindRegistered(key_);
    if (registered_ != nullptr && registered_->incarnation == incarnation_)
      return Run();
    GraphDef def = GraphOfCall(function_, args_);
    status = TerminateAtClient(&def, 0, function_.device, incarnation_,
                               /*narrow=*/false, &edges_);
    if (!status.ok()) return Finish(std::move(status));
    register_.session_handle = owner_->session_.session_handle;
    register_.create_worker_session_called = true;
    register_.graph_def = std::move(def);
    Register();
  }

  void Register() {
    registered_reply_ = {};
    peer_->worker().RegisterGraph(context_, register_, &registered_reply_,
                                  Then(&Call::OnRegistered));
  }

  void OnRegistered(Status status) {
    if (!status.ok() && !made_session_ &&
        absl::StrContains(status.message(), "Session handle is not found")) {
      return MakeSession();
    }
    if (!status.ok()) return Finish(std::move(status));
    auto registered = std::make_shared<Registered>();
    registered->incarnation = incarnation_;
    registered->handle = registered_reply_.graph_handle;
    registered->edges = std::move(edges_);
    owner_->SetRegistered(key_, registered);
    registered_ = std::move(registered);
    Run();
  }

  // The task takes no part in the session's graph so far. If it comes to do so,
  // its master's request is the same as this one.
  void MakeSession() {
    made_session_ = true;
    session_ = owner_->session_;
    session_.server_def.job_name = peer_->task().job;
    session_.server_def.task_index = peer_->task().index;
    owner_->AddSession(peer_->task());
    session_context_.deadline = Deadline::Min(
        context_.deadline, Deadline::AfterMillis(kCreateSessionMs));
    session_context_.cancel = context_.cancel;
    peer_->worker().CreateWorkerSession(
        session_context_, session_, &session_reply_, Then(&Call::OnSession));
  }

  void OnSession(Status status) {
    if (!status.ok()) return Finish(std::move(status));
    Register();
  }

  void Run() {
    run_.session_handle = owner_->session_.session_handle;
    run_.create_worker_session_called = true;
    run_.graph_handle = registered_->handle;
    run_.step_id = NewRemoteStepId();
    run_.request_id = run_.step_id;
    run_.store_errors_in_response_body = true;
    for (const ClientEdge& edge : registered_->edges.feeds) {
      const auto i = static_cast<size_t>(edge.index);
      const Status put = PutFeed(edge, args_[i], &run_);
      if (!put.ok()) return Finish(put);
    }
    for (const ClientEdge& edge : registered_->edges.fetches)
      run_.recv_key.push_back(edge.key);
    context_.request_id = run_.request_id;
    ran_ = true;
    peer_->worker().RunGraph(context_, run_, &run_reply_, Then(&Call::OnRun));
  }

  void OnRun(Status status) {
    if (status.ok()) status = std::move(run_reply_.status);
    // The task may have lost the graph with its session.
    if (status.code() == StatusCode::kAborted)
      owner_->SetRegistered(key_, nullptr);
    Finish(std::move(status));
  }

  StatusOr<std::vector<Tensor>> Results() {
    const std::vector<ClientEdge>& edges = registered_->edges.fetches;
    std::vector<Tensor> results(edges.size());
    for (size_t i = 0; i < edges.size(); ++i) {
      MR_ASSIGN_OR_RETURN(
          results[static_cast<size_t>(edges[i].index)],
          TakeFetch(edges[i], i, absl::StrCat("result ", edges[i].index),
                    peer_->task().ToString(), run_reply_.recv));
    }
    return results;
  }

  void Finish(Status status) {
    // An error caused by a cancellation follows from its reason.
    if (status.code() == StatusCode::kCancelled && cancel_ != nullptr &&
        cancel_->cancelled()) {
      status = MarkDerived(status);
    }
    std::vector<Tensor> results;
    if (status.ok()) {
      StatusOr<std::vector<Tensor>> taken = Results();
      status = taken.status();
      if (taken.ok()) results = *std::move(taken);
    }
    if (ran_) CleanUp();
    args_.clear();
    run_.send.clear();
    std::move(done_)(std::move(status), std::move(results));
  }

  // The caller does not wait for it.
  void CleanUp() {
    cleanup_.step_id = run_.step_id;
    cleanup_context_.deadline = Deadline::AfterMillis(kCleanupMs);
    cleanup_context_.cancel = &owner_->worker_.scope;
    peer_->worker().CleanupGraph(
        cleanup_context_, cleanup_, &cleanup_reply_,
        Done([self = Ref<Call>::Share(this)](Status) {}));
  }

  const ActiveCall active_;  // destroyed last
  const std::shared_ptr<RemoteFunctions> owner_;
  const Ref<Peer> peer_;
  CancelScope* const cancel_;
  const RemoteFunction function_;
  std::vector<Tensor> args_;
  FunctionRunner::RunDone done_;
  std::string key_;
  uint64_t incarnation_ = 0;
  bool made_session_ = false;
  bool ran_ = false;
  ClientEdges edges_;
  std::shared_ptr<const Registered> registered_;

  CallContext context_, session_context_, cleanup_context_;
  CreateWorkerSessionRequest session_;
  CreateWorkerSessionReply session_reply_;
  RegisterGraphRequest register_;
  RegisterGraphReply registered_reply_;
  RunGraphRequest run_;
  RunGraphReply run_reply_;
  CleanupGraphRequest cleanup_;
  CleanupGraphReply cleanup_reply_;
};

// The end of a session at one task.
class RemoteFunctions::Deletion final : public RefCounted {
 public:
  Deletion(WorkerState& worker, Ref<Peer> peer, const std::string& handle)
      : active_(worker), peer_(std::move(peer)) {
    request_.session_handle = handle;
    context_.deadline = Deadline::AfterMillis(kDeleteSessionMs);
    context_.cancel = &worker.scope;
  }
  void Start() {
    peer_->worker().DeleteWorkerSession(
        context_, request_, &reply_,
        Done([self = Ref<Deletion>::Share(this)](Status) {}));
  }

 private:
  ~Deletion() override = default;

  const ActiveCall active_;  // destroyed last
  const Ref<Peer> peer_;
  CallContext context_;
  DeleteWorkerSessionRequest request_;
  DeleteWorkerSessionReply reply_;
};

RemoteFunctions::RemoteFunctions(WorkerState& worker,
                                 CreateWorkerSessionRequest session,
                                 TaskName self, std::shared_ptr<Peers> peers,
                                 std::vector<Device*> devices)
    : worker_(worker),
      session_(std::move(session)),
      self_(std::move(self)),
      peers_(std::move(peers)),
      devices_(std::move(devices)) {}

Device* RemoteFunctions::Find(absl::string_view name) {
  MutexLock lock(mu_);
  for (Device* const device : devices_) {
    if (device->name() == name) return device;
  }
  return nullptr;
}

StatusOr<Ref<Peer>> RemoteFunctions::PeerOf(const std::string& device) {
  // Later, worker and peers may be gone.
  if (ended_)
    return Aborted("Session ", session_.session_handle, " has ended.");
  MR_RETURN_IF_ERROR(worker_.refusal());
  MR_ASSIGN_OR_RETURN(const TaskName task, TaskName::Parse(device));
  if (task == self_) return InvalidArgument(device, " unknown device.");
  if (peers_ == nullptr) return NoFunctionTarget(device);
  StatusOr<Ref<Peer>> peer = peers_->Find(task);
  if (peer.ok()) return peer;
  std::vector<std::string> tasks;
  for (const Ref<Peer>& other : peers_->All())
    tasks.push_back(other->task().ToString());
  return InvalidArgument("Could not find worker with target: ", device,
                         " Available workers: ", absl::StrJoin(tasks, ", "));
}

void RemoteFunctions::RunRemote(const StepEnvironment& environment,
                                const RemoteFunction& function,
                                std::vector<Tensor> args,
                                FunctionRunner::RunDone done) {
  Ref<Call> call;
  Status status;
  {
    // The worker waits for calls that begin before End.
    MutexLock lock(mu_);
    StatusOr<Ref<Peer>> peer = PeerOf(function.device);
    status = peer.status();
    if (peer.ok()) {
      call = MakeRef<Call>(shared_from_this(), *std::move(peer), environment,
                           function, std::move(args), std::move(done));
    }
  }
  if (call == nullptr) return std::move(done)(std::move(status), {});
  call->Start();
}

void RemoteFunctions::End() {
  absl::btree_set<TaskName> made;
  {
    MutexLock lock(mu_);
    if (std::exchange(ended_, true)) return;
    made.swap(made_);
    devices_.clear();
  }
  // Tasks that lose this one find out that the session's master is gone.
  if (!worker_.refusal().ok()) return;
  for (const TaskName& task : made) {
    StatusOr<Ref<Peer>> peer = peers_->Find(task);
    if (!peer.ok()) continue;
    const Ref<Deletion> deletion =
        MakeRef<Deletion>(worker_, *std::move(peer), session_.session_handle);
    deletion->Start();
  }
}

std::shared_ptr<const RemoteFunctions::Registered>
RemoteFunctions::FindRegistered(const std::string& key) {
  MutexLock lock(mu_);
  const auto it = registered_.find(key);
  return it == registered_.end() ? nullptr : it->second;
}

void RemoteFunctions::SetRegistered(
    const std::string& key, std::shared_ptr<const Registered> registered) {
  MutexLock lock(mu_);
  registered_[key] = std::move(registered);
}

void RemoteFunctions::AddSession(const TaskName& task) {
  MutexLock lock(mu_);
  if (!ended_) made_.insert(task);
}

}  // namespace millrace
