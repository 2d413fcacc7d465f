// For tests: a cluster within a simulation on which replicas train, and worlds
// of several seeds.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "millrace/base/files/memory_files.h"
#include "millrace/base/sim/sim.h"
#include "millrace/client/default_tables.h"
#include "millrace/client/session.h"
#include "millrace/cluster/server.h"
#include "millrace/rpc/loopback/loopback.h"
#include "millrace/train/replica_device_setter.h"

namespace millrace::train {

// Parameter servers and workers with one disk.
class ReplicaCluster {
 public:
  explicit ReplicaCluster(int num_ps = 1, int num_workers = 3)
      : num_ps_(num_ps) {
    std::string text;
    for (int i = 0; i < num_ps + num_workers; ++i) {
      absl::StrAppend(&text,
                      i == 0        ? "ps="
                      : i == num_ps ? ";worker="
                                    : ",",
                      Address(i));
    }
    auto spec = ClusterSpec::Parse(text);
    MR_CHECK(spec.ok(), spec.status().ToString());
    spec_ = *std::move(spec);
    tasks_.resize(static_cast<size_t>(num_ps + num_workers));
    for (int i = 0; i < num_ps + num_workers; ++i) Start(i);
  }
  ~ReplicaCluster() {
    for (size_t i = tasks_.size(); i-- > 0;) {
      if (tasks_[i]) tasks_[i]->Stop(0);
    }
  }

  void KillWorker(int worker) { Kill(num_ps_ + worker); }
  void RestartWorker(int worker) {
    Kill(num_ps_ + worker);
    Start(num_ps_ + worker);
  }
  void RestartPs(int ps = 0) {
    Kill(ps);
    Start(ps);
  }
  SessionOptions Session(int worker) const {
    return {.target = absl::StrCat("grpc://", Address(num_ps_ + worker)),
            .transport = network_};
  }
  MemoryFiles& files() { return files_; }
  // Returns a scope of a new graph, for a replica on a worker.
  Scope NewGraph(int worker) const {
    return Scope::NewRoot().WithDevice(ReplicaDeviceSetter(
        {.ps_tasks = num_ps_,
         .worker_device = absl::StrCat("/job:worker/task:", worker)}));
  }

 private:
  static std::string Address(int i) {
    return absl::StrCat("127.0.0.1:", 1001 + i);
  }
  void Kill(int i) {
    std::unique_ptr<Server>& task = tasks_[static_cast<size_t>(i)];
    if (!task) return;
    task->Kill();
    task->Join();
    task.reset();
  }
  void Start(int i) {
    ServerOptions options;
    options.cluster = spec_;
    options.task = {.job = i < num_ps_ ? "ps" : "worker",
                    .index = i < num_ps_ ? i : i - num_ps_};
    options.transport = network_;
    options.ops = &DefaultOps();
    options.kernels = &DefaultKernels();
    options.files = &files_;
    auto server = Server::Start(options);
    MR_CHECK(server.ok(), server.status().ToString());
    tasks_[static_cast<size_t>(i)] = *std::move(server);
  }

  const int num_ps_;
  MemoryFiles files_;
  std::shared_ptr<LoopbackNetwork> network_ =
      std::make_shared<LoopbackNetwork>();
  ClusterSpec spec_;
  std::vector<std::unique_ptr<Server>> tasks_;
};

// Lets replicas begin their steps together.
class Gate {
 public:
  explicit Gate(int replicas) : missing_(replicas) {}
  void Pass() {
    --missing_;
    while (missing_.load() > 0) SleepUntil(Deadline::AfterMillis(10));
  }

 private:
  std::atomic<int> missing_;
};

// Runs `body` in worlds of seeds 1 to `seeds`, up to one that fails, or after
// which `has_failed` is true. Returns what is wrong with that; "" if none.
inline std::string FirstFailure(uint64_t seeds,
                                const std::function<void()>& body,
                                const std::function<bool()>& has_failed) {
  DefaultOps();
  DefaultKernels();
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    SimWorld world({.seed = seed});
    const SimResult result = world.Run([&] { body(); });
    if (!result.status.ok()) return result.Report();
    if (has_failed()) return absl::StrCat("seed ", seed);
  }
  return "";
}

}  // namespace millrace::train
