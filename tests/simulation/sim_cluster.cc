#include "tests/simulation/sim_cluster.h"

#include "millrace/base/check.h"
#include "millrace/graph/all_ops.h"
#include "millrace/kernel/all_kernels.h"
#include "millrace/rpc/loopback/loopback.h"

namespace millrace::sim {
namespace {

constexpr int kFirstPort = 7000;

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
    auto built = KernelTable::Build(AllCpuKernels());
    MR_CHECK(built.ok(), built.status().message());
    return new KernelTable(*std::move(built));
  }();
  return *kernels;
}

SimCluster::SimCluster(int num_ps, int num_workers)
    : cluster_(Spec(num_ps, num_workers)),
      network_(std::make_shared<LoopbackNetwork>(), {}) {
  int port = kFirstPort;
  for (int i = 0; i < num_ps; ++i) {
    tasks_.push_back({{"ps", i}, port++, 0, nullptr});
  }
  for (int i = 0; i < num_workers; ++i) {
    tasks_.push_back({{"worker", i}, port++, 0, nullptr});
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
  for (int i = 0; i < num_tasks(); ++i) {
    if (tasks_[i].name == TaskName{"worker", index}) {
      return absl::StrCat("grpc://", address(i));
    }
  }
  return "";
}

void SimCluster::Start(int task) {
  Task& t = tasks_[task];
  if (t.server != nullptr) return;
  t.process = SimWorld::Current()->AddProcess(t.name.ToString());
  SimProcessScope scope(t.process);
  ServerOptions options;
  options.cluster = cluster_;
  options.task = t.name;
  options.session_wait_ms = 30'000;
  options.transport = network_.Endpoint(address(task));
  options.ops = &Ops();
  options.kernels = &Kernels();
  auto server = Server::Start(std::move(options));
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
  RecordEvent(absl::StrCat("freeze ", tasks_[task].name.ToString()));
  SimWorld::Current()->FreezeUntil(tasks_[task].process, NowNanos() + nanos);
}

}  // namespace millrace::sim
