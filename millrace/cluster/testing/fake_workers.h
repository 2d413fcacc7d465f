// Workers played by a test, and peers that are up or down as it says. For unit
// tests of the master.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "millrace/base/threads/thread.h"
#include "millrace/cluster/peers.h"

namespace millrace {

// Answers everything except RunGraph at once with OK, or with `errors`;
// RunGraph is held for the test. Thread-safe.
class FakeWorker final : public WorkerApi {
 public:
  struct Run {
    CallContext* context;
    const RunGraphRequest* request;
    RunGraphReply* reply;
    Done done;
    CancelScope::Registration cancelled;
  };

  // Returns the calls received, by method, with the graphs of RegisterGraph.
  std::vector<std::string> calls() {
    MutexLock lock(mu_);
    return calls_;
  }
  int Count(absl::string_view method) {
    int n = 0;
    for (const std::string& call : calls()) n += call == method;
    return n;
  }
  std::vector<RegisterGraphRequest> graphs() {
    MutexLock lock(mu_);
    return graphs_;
  }
  // Returns the handles of DeregisterGraph.
  std::vector<std::string> dropped() {
    MutexLock lock(mu_);
    return dropped_;
  }
  std::vector<CreateWorkerSessionRequest> sessions() {
    MutexLock lock(mu_);
    return sessions_;
  }
  // Blocks until a run is held, and returns it.
  Run TakeRun() {
    MutexLock lock(mu_);
    while (runs_.empty()) changed_.Wait(mu_);
    Run run = std::move(runs_.front());
    runs_.erase(runs_.begin());
    return run;
  }
  void WaitForCall(absl::string_view method) {
    MutexLock lock(mu_);
    while (std::find(calls_.begin(), calls_.end(), method) == calls_.end()) {
      changed_.Wait(mu_);
    }
  }
  std::map<std::string, Status> errors;  // by method; set before the calls
  // RunGraph answers by itself: each key gets the value of this name, or the
  // fed value that was sent under it.
  bool runs_itself = false;
  // When its context is cancelled, a held run ends with this status, if it is
  // set.
  Status cancel_status = Cancelled("cancelled by the master");

#define MR_FAKE(Name)                                                       \
  void Name(CallContext&, const Name##Request& request, Name##Reply* reply, \
            Done done) override {                                           \
    Note(#Name);                                                            \
    Fill(request, reply);                                                   \
    std::move(done)(Error(#Name));                                          \
  }
  MR_FAKE(GetStatus)
  MR_FAKE(CreateWorkerSession)
  MR_FAKE(DeleteWorkerSession)
  MR_FAKE(RegisterGraph)
  MR_FAKE(DeregisterGraph)
  MR_FAKE(CleanupGraph)
  MR_FAKE(CleanupAll)
  MR_FAKE(RecvTensor)
  MR_FAKE(RecvBuf)
  MR_FAKE(Logging)
  MR_FAKE(Tracing)
  MR_FAKE(CompleteGroup)
  MR_FAKE(CompleteInstance)
  MR_FAKE(GetStepSequence)
  MR_FAKE(MarkRecvFinished)
#undef MR_FAKE

  void RunGraph(CallContext& context, const RunGraphRequest& request,
                RunGraphReply* reply, Done done) override {
    Note("RunGraph");
    if (runs_itself) {
      reply->status = Error("RunGraph");
      for (const std::string& key : request.recv_key) {
        reply->recv.push_back({key, Tensor::Scalar<float>(1)});
        for (const NamedTensor& fed : request.send) {
          if (fed.name == key) reply->recv.back().tensor = fed.tensor;
        }
      }
      std::move(done)(OkStatus());
      return;
    }
    // Answers calls that are cancelled.
    struct Held {
      Mutex mu;
      Done done;
    };
    auto held = std::make_shared<Held>();
    held->done = std::move(done);
    const auto end = [held](Status status) {
      Done taken;
      {
        MutexLock lock(held->mu);
        taken = std::move(held->done);
      }
      if (taken) std::move(taken)(std::move(status));
    };
    Run run{&context, &request, reply, Done(end), {}};
    if (context.cancel != nullptr && !cancel_status.ok()) {
      const Status status = cancel_status;
      run.cancelled = context.cancel->Register([end, status] {
        Lanes::Process().control.Schedule([end, status] { end(status); });
      });
    }
    MutexLock lock(mu_);
    runs_.push_back(std::move(run));
    changed_.NotifyAll();
  }

 private:
  void Note(const char* method) {
    MutexLock lock(mu_);
    calls_.push_back(method);
    changed_.NotifyAll();
  }
  Status Error(const char* method) {
    const auto found = errors.find(method);
    return found == errors.end() ? OkStatus() : found->second;
  }
  template <class Request, class Reply>
  void Fill(const Request&, Reply*) {}
  void Fill(const RegisterGraphRequest& request, RegisterGraphReply* reply) {
    MutexLock lock(mu_);
    graphs_.push_back(request);
    reply->graph_handle = absl::StrCat("graph", graphs_.size());
  }
  void Fill(const DeregisterGraphRequest& request, DeregisterGraphReply*) {
    MutexLock lock(mu_);
    dropped_.push_back(request.graph_handle);
  }
  void Fill(const CreateWorkerSessionRequest& request,
            CreateWorkerSessionReply*) {
    MutexLock lock(mu_);
    sessions_.push_back(request);
  }

  Mutex mu_;  // guards all below
  CondVar changed_;
  std::vector<std::string> calls_;
  std::vector<Run> runs_;
  std::vector<RegisterGraphRequest> graphs_;
  std::vector<std::string> dropped_;
  std::vector<CreateWorkerSessionRequest> sessions_;
};

class FakePeer final : public Peer {
 public:
  FakePeer(TaskName task, bool is_self)
      : task_(std::move(task)),
        address_(absl::StrCat(task_.job, task_.index, ":1")),
        is_self_(is_self) {}

  FakeWorker fake;

  // Sets whether Identify gets a reply. A peer that goes down keeps its
  // devices.
  void SetUp(bool up) {
    MutexLock lock(mu_);
    up_ = up;
  }

  const TaskName& task() const override { return task_; }
  const std::string& address() const override { return address_; }
  WorkerApi& worker() override { return fake; }
  bool is_self() const override { return is_self_; }
  Status last_error() const override {
    MutexLock lock(mu_);
    return up_ ? OkStatus() : Unavailable("connection refused");
  }
  bool has_answered() const override { return !devices().empty(); }
  std::vector<DeviceAttributes> devices() const override {
    MutexLock lock(mu_);
    if (!known_) return {};
    DeviceAttributes device;
    device.name = absl::StrCat(task_.ToString(), "/device:CPU:0");
    device.device_type = "CPU";
    device.incarnation = Incarnation();
    return {device};
  }
  uint64_t incarnation() const override {
    MutexLock lock(mu_);
    return known_ ? Incarnation() : 0;
  }
  void Identify(CallContext& context, Done done) override {
    {
      MutexLock lock(mu_);
      known_ |= up_;
      if (up_) {
        lock.Unlock();
        std::move(done)(OkStatus());
        return;
      }
    }
    // Waits for the end of the context, as if no reply came.
    auto scope = std::make_shared<CancelScope>(context.cancel);
    scope->CancelAt(context.deadline, Lanes::Process().timer,
                    DeadlineExceeded("task ", task_.ToString(), " (", address_,
                                     ") does not answer; last error: "
                                     "connection refused"));
    auto shared = std::make_shared<Done>(std::move(done));
    const auto end = [scope, shared] {
      Lanes::Process().control.Schedule(
          [scope, shared] { std::move (*shared)(scope->status()); });
    };
    if (!scope->Register(end).ok()) end();
  }

 private:
  uint64_t Incarnation() const {
    return std::hash<std::string>()(task_.ToString()) | 1;
  }

  const TaskName task_;
  const std::string address_;
  const bool is_self_;
  mutable Mutex mu_;
  bool up_ = true;
  bool known_ = false;
};

class FakePeers final : public Peers {
 public:
  // Parses "ps=a:1;worker=b:1"; all tasks are up.
  FakePeers(absl::string_view cluster, const TaskName& self)
      : cluster_(*ClusterSpec::Parse(cluster)) {
    for (const TaskName& task : cluster_.Tasks()) {
      peers_[task] = MakeRef<FakePeer>(task, task == self);
    }
  }
  FakePeer& at(const std::string& job, int index) {
    return *peers_.at(TaskName{job, index});
  }
  StatusOr<Ref<Peer>> Find(const TaskName& task) override {
    const auto found = peers_.find(task);
    if (found == peers_.end()) return NotFound("no task ", task.ToString());
    return Ref<Peer>(found->second);
  }
  std::vector<Ref<Peer>> All() override {
    std::vector<Ref<Peer>> all;
    for (const auto& [task, peer] : peers_) all.push_back(peer);
    return all;
  }
  const ClusterSpec& cluster() const override { return cluster_; }

 private:
  const ClusterSpec cluster_;
  std::map<TaskName, Ref<FakePeer>> peers_;
};

}  // namespace millrace
