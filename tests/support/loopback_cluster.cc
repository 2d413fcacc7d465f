#include "tests/support/loopback_cluster.h"

#include <utility>

#include "absl/strings/str_join.h"
#include "millrace/client/gradients/differentiate_function.h"
#include "millrace/graph/all_ops.h"
#include "millrace/kernel/all_kernels.h"
#include "millrace/protocol/caller.h"

namespace millrace {
namespace {

// Port numbers of the loopback network, which no other code uses.
constexpr int kFirstPort = 1001;

}  // namespace

const OpRegistry& TestOps() {
  static const OpRegistry* const ops =
      OpRegistry::Build(AllOps()).value().release();
  return *ops;
}

const KernelTable& TestKernels() {
  static const KernelTable* const kernels =
      new KernelTable(KernelTable::Build(AllKernels()).value());
  return *kernels;
}

LoopbackCluster::LoopbackCluster(const std::map<std::string, int>& jobs,
                                 Change change)
    : network_(std::make_shared<LoopbackNetwork>()),
      change_(std::move(change)) {
  std::vector<std::string> texts;
  int port = kFirstPort;
  for (const auto& [job, count] : jobs) {
    std::vector<std::string> addresses;
    for (int i = 0; i < count; ++i) {
      addresses.push_back(absl::StrCat("127.0.0.1:", port++));
    }
    texts.push_back(absl::StrCat(job, "=", absl::StrJoin(addresses, ",")));
  }
  cluster_ = ClusterSpec::Parse(absl::StrJoin(texts, ";")).value();
}

LoopbackCluster::~LoopbackCluster() {
  for (auto& [task, running] : running_) {
    if (running.server != nullptr) Kill(task);
  }
}

void LoopbackCluster::StartAll() {
  for (const TaskName& task : cluster_.Tasks()) Start(task);
}

void LoopbackCluster::Start(const TaskName& task) {
  ServerOptions options;
  options.cluster = cluster_;
  options.task = task;
  options.transport = network_;
  options.ops = &TestOps();
  options.kernels = &TestKernels();
  options.differentiate = DifferentiateFunction;
  if (change_) change_(&options);
  Running& running = running_[task];
  if (SimWorld* world = SimWorld::Current()) {
    running.process = world->AddProcess(task.ToString());
  }
  const SimProcessScope scope(running.process);
  StatusOr<std::unique_ptr<Server>> server = Server::Start(options);
  MR_CHECK(server.ok(), server.status().message());
  running.server = *std::move(server);
}

void LoopbackCluster::Stop(const TaskName& task) {
  Running& running = running_.at(task);
  const SimProcessScope scope(running.process);
  running.server->Stop();
  running.server.reset();
}

void LoopbackCluster::Kill(const TaskName& task) {
  Running& running = running_.at(task);
  const SimProcessScope scope(running.process);
  running.server->Kill();
  running.server.reset();
}

TestSession::TestSession(const LoopbackCluster& cluster, const TaskName& master)
    : caller_(cluster.network()->Connect(cluster.Address(master))),
      master_(MakeMasterStub(caller_.get())) {}

Status TestSession::Create(GraphDef graph, ConfigOptions config,
                           Deadline deadline) {
  CreateSessionRequest request;
  request.graph_def = std::move(graph);
  request.config = std::move(config);
  CreateSessionReply reply;
  CallContext context;
  context.deadline = deadline;
  MR_RETURN_IF_ERROR(CallAndWait(*master_, &MasterApi::CreateSession, request,
                                 &reply, context));
  handle_ = reply.session_handle;
  version_ = reply.graph_version;
  return OkStatus();
}

Status TestSession::Extend(GraphDef graph) {
  ExtendSessionRequest request;
  request.session_handle = handle_;
  request.graph_def = std::move(graph);
  request.current_graph_version = version_;
  ExtendSessionReply reply;
  MR_RETURN_IF_ERROR(
      CallAndWait(*master_, &MasterApi::ExtendSession, request, &reply));
  version_ = reply.new_graph_version;
  return OkStatus();
}

StatusOr<std::vector<Tensor>> TestSession::Run(RunArgs args) {
  RunStepRequest request;
  request.session_handle = handle_;
  request.feeds = std::move(args.feeds);
  request.fetches = std::move(args.fetches);
  request.targets = std::move(args.targets);
  request.options = std::move(args.options);
  request.store_errors_in_response_body = true;
  RunStepReply reply;
  CallContext context;
  context.cancel = args.cancel;
  const Status rpc =
      CallAndWait(*master_, &MasterApi::RunStep, request, &reply, context);
  if (!rpc.ok()) return Prefix("rpc: ", rpc);
  MR_RETURN_IF_ERROR(reply.status);
  std::vector<Tensor> fetched;
  for (NamedTensor& value : reply.tensors) {
    fetched.push_back(std::move(value.tensor));
  }
  if (args.metadata != nullptr)
    *args.metadata = std::move(reply.metadata).value_or(RunMetadata());
  return fetched;
}

StatusOr<float> TestSession::Fetch(const std::string& name) {
  MR_ASSIGN_OR_RETURN(const std::vector<Tensor> values,
                      Run({.feeds = {}, .fetches = {name}, .targets = {}}));
  return values.at(0).scalar<float>();
}

StatusOr<ListDevicesReply> TestSession::ListDevices() {
  ListDevicesReply reply;
  MR_RETURN_IF_ERROR(CallAndWait(*master_, &MasterApi::ListDevices,
                                 ListDevicesRequest{handle_}, &reply));
  return reply;
}

Status TestSession::Close() {
  CloseSessionReply reply;
  return CallAndWait(*master_, &MasterApi::CloseSession,
                     CloseSessionRequest{handle_}, &reply);
}

Status TestSession::Reset(std::vector<std::string> containers) {
  ResetReply reply;
  return CallAndWait(*master_, &MasterApi::Reset,
                     ResetRequest{std::move(containers), {}}, &reply);
}

}  // namespace millrace
