#include "tests/simulation/sim_cluster.h"

#include "millrace/base/check.h"
#include "millrace/graph/all_ops.h"
#include "millrace/kernel/all_kernels.h"
#include "millrace/protocol/caller.h"
#include "millrace/rpc/loopback/loopback.h"

namespace millrace::sim {
namespace {

constexpr int kFirstPort = 7000;
constexpr int64_t kStatusMs = 5'000;

ClusterSpec Spec(int num_ps, int num_workers) {
  std::string text;
  int port = kFirstPort;
  for (const auto& [job, count] :
       {std::pair("ps", num_ps), std::pair("worker", num_workers)}) {
    absl::StrAppend(&text, text.empty() ? "" : ";", job, "=");
    for (int i = 0; i < count; ++i) {
      absl::StrAppend(&text, i > 0 ? "," : "", "127.0.0.1:", port++);
    }
  }
  StatusOr<ClusterSpec> spec = ClusterSpec::Parse(text);
  MR_CHECK(spec.ok(), spec.status().message());
  return *spec;
}

}  // namespace

const OpRegistry& Ops() {
  static const OpRegistry* const ops = [] {
    auto built = OpRegistry::Build(AllOps());
    MR_CHECK(built.ok(), built.status().message());
    return built->release();
  }();
  return *ops;
}

const KernelTable& Kernels() {
  static const KernelTable* const kernels = [] {
    auto built = KernelTable::Build(AllKernels());
    MR_CHECK(built.ok(), built.status().message());
    return new KernelTable(*std::move(built));
  }();
  return *kernels;
}

SimCluster::SimCluster(int num_ps, int num_workers)
    : num_ps_(num_ps),
      cluster_(Spec(num_ps, num_workers)),
      network_(std::make_shared<LoopbackNetwork>(), {}),
      files_(static_cast<MemoryFiles*>(DefaultFiles())) {
  int port = kFirstPort;
  for (const auto& [job, count] :
       {std::pair("ps", num_ps), std::pair("worker", num_workers)}) {
    for (int i = 0; i < count; ++i) {
      Task& task = tasks_.emplace_back();
      task.name = {job, i};
      task.port = port++;
    }
  }
}

SimCluster::~SimCluster() {
  for (Task& task : tasks_) {
    if (task.server == nullptr) continue;
    SimProcessScope scope(task.process);
    task.server->Stop(0);
    task.server.reset();
  }
}

std::string SimCluster::address(int task) const {
  return absl::StrCat("127.0.0.1:", tasks_[task].port);
}

std::string SimCluster::worker_target(int index) const {
  return absl::StrCat("grpc://", address(worker(index)));
}

void SimCluster::Start(int task) {
  Task& t = tasks_[task];
  if (t.server != nullptr) return;
  ++t.life;
  t.process = SimWorld::Current()->AddProcess(t.name.ToString());
  SimProcessScope scope(t.process);
  ServerOptions options;
  options.cluster = cluster_;
  options.task = t.name;
  options.session_wait_ms = 30'000;
  // Every other master evicts kinds of runs all the time.
  if (task % 2 == 0) options.max_prepared_runs = 2;
  options.transport = network_.Endpoint(address(task));
  options.ops = &Ops();
  options.kernels = &Kernels();
  auto server = Server::Start(options);
  MR_CHECK(server.ok(), server.status().message());
  t.server = *std::move(server);
  RecordEvent(absl::StrCat("start ", t.name.ToString()));
}

void SimCluster::Kill(int task) {
  Task& t = tasks_[task];
  if (t.server == nullptr) return;
  RecordEvent(absl::StrCat("kill ", t.name.ToString()));
  SimWorld::Current()->Thaw(t.process);
  SimProcessScope scope(t.process);
  t.server->Kill();
  t.server.reset();
}

void SimCluster::FreezeFor(int task, int64_t nanos) {
  if (!running(task)) return;
  SimWorld::Current()->FreezeUntil(tasks_[task].process, NowNanos() + nanos);
}

void SimCluster::Thaw(int task) {
  if (running(task)) SimWorld::Current()->Thaw(tasks_[task].process);
}

StatusOr<ServerStatusReply> SimCluster::ServerStatus(int task) {
  const std::shared_ptr<Caller> caller =
      network_.Endpoint("observer")->Connect(address(task));
  const std::unique_ptr<AdminApi> admin = MakeAdminStub(caller.get());
  CallContext context;
  context.deadline = Deadline::AfterMillis(kStatusMs);
  const ServerStatusRequest request;
  ServerStatusReply reply;
  Status status;
  Notification answered;
  admin->ServerStatus(context, request, &reply, Done([&](Status s) {
                        status = std::move(s);
                        answered.Notify();
                      }));
  answered.Wait();
  MR_RETURN_IF_ERROR(status);
  return reply;
}

}  // namespace millrace::sim
