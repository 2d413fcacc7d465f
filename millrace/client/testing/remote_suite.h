// A master that records its calls, and a session's connection to it. For unit
// tests of sessions.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "millrace/base/threads/lanes.h"
#include "millrace/base/threads/thread.h"
#include "millrace/client/ops.h"
#include "millrace/client/session.h"
#include "millrace/protocol/unimplemented_api.h"
#include "millrace/rpc/loopback/loopback.h"

namespace millrace {

// Answers each run with the sum of its feeds, for every fetch.
class FakeMaster final : public MasterApi {
 public:
  void CreateSession(CallContext&, const CreateSessionRequest& request,
                     CreateSessionReply* reply, Done done) override {
    Log(absl::StrCat("create ", request.graph_def.nodes.size(), " ",
                     request.target));
    reply->session_handle = "h";
    std::move(done)(OkStatus());
  }
  void ExtendSession(CallContext&, const ExtendSessionRequest& request,
                     ExtendSessionReply* reply, Done done) override {
    Log(absl::StrCat("extend ", request.graph_def.nodes.size(), " at ",
                     request.current_graph_version));
    reply->new_graph_version = request.current_graph_version + 1;
    if (on_extend) on_extend();
    std::move(done)(OkStatus());
  }
  void RunStep(CallContext& context, const RunStepRequest& request,
               RunStepReply* reply, Done done) override {
    Log(absl::StrCat("run ", request.feeds.size(), " ",
                     absl::StrJoin(request.fetches, ","), " ",
                     absl::StrJoin(request.targets, ","), " ",
                     request.options.timeout_ms));
    if (!request.targets.empty() && request.targets[0] == "fail") {
      reply->status = Aborted("no\n\t [[{{node fail}}]]");
    }
    if (!request.targets.empty() && request.targets[0] == "wait") {
      WaitForCancel(context, std::move(done));
      return;
    }
    float sum = 0;
    for (const NamedTensor& feed : request.feeds)
      sum += feed.tensor.scalar<float>();
    for (const std::string& fetch : request.fetches) {
      reply->tensors.push_back({fetch, Tensor::Scalar(sum)});
    }
    std::move(done)(OkStatus());
  }
  void CloseSession(CallContext&, const CloseSessionRequest&,
                    CloseSessionReply*, Done done) override {
    Log("close");
    std::move(done)(OkStatus());
  }
  void ListDevices(CallContext&, const ListDevicesRequest&,
                   ListDevicesReply* reply, Done done) override {
    reply->local_devices.push_back(
        {.name = "/job:w/replica:0/task:0/device:CPU:0"});
    reply->remote_devices.push_back(
        {.name = "/job:w/replica:0/task:1/device:CPU:0"});
    std::move(done)(OkStatus());
  }
  void Reset(CallContext&, const ResetRequest& request, ResetReply*,
             Done done) override {
    Log(absl::StrCat("reset ", absl::StrJoin(request.containers, ",")));
    std::move(done)(OkStatus());
  }
  void MakeCallable(CallContext&, const MakeCallableRequest& request,
                    MakeCallableReply* reply, Done done) override {
    Log(absl::StrCat("make ", absl::StrJoin(request.options.feeds, ","), " ",
                     absl::StrJoin(request.options.fetches, ",")));
    reply->handle = 5;
    std::move(done)(OkStatus());
  }
  // Waits forever if it is fed a negative number.
  void RunCallable(CallContext& context, const RunCallableRequest& request,
                   RunCallableReply* reply, Done done) override {
    reply->fetches = request.feeds;
    if (request.feeds[0].scalar<float>() < 0) {
      WaitForCancel(context, std::move(done));
      return;
    }
    std::move(done)(request.handle == 5 ? OkStatus() : NotFound("handle"));
  }
  void ReleaseCallable(CallContext&, const ReleaseCallableRequest& request,
                       ReleaseCallableReply*, Done done) override {
    Log(absl::StrCat("release ", request.handle));
    std::move(done)(OkStatus());
  }
  void PartialRunSetup(CallContext&, const PartialRunSetupRequest&,
                       PartialRunSetupReply*, Done done) override {
    std::move(done)(Unimplemented(""));
  }

  std::vector<std::string> TakeLog() {
    MutexLock lock(mu_);
    return std::exchange(log_, {});
  }
  std::function<void()> on_extend;
  // Blocks until a call waits for its cancellation.
  void AwaitWaiter() {
    MutexLock lock(mu_);
    while (!waiting_) changed_.Wait(mu_);
  }

 private:
  void Log(std::string line) {
    MutexLock lock(mu_);
    log_.push_back(std::move(line));
  }
  void WaitForCancel(CallContext& context, Done done) {
    auto shared = std::make_shared<Done>(std::move(done));
    auto registration = context.cancel->Register([shared,
                                                  cancel = context.cancel] {
      Lanes::Process().control.Schedule(
          [shared, status = cancel->status()] { std::move (*shared)(status); });
    });
    if (!registration.ok()) std::move (*shared)(registration.status);
    MutexLock lock(mu_);
    waiting_ = true;
    changed_.NotifyAll();
  }

  Mutex mu_;
  CondVar changed_;
  bool waiting_ = false;
  std::vector<std::string> log_;
};

// A worker that only reports its task.
class FakeWorker final : public UnimplementedWorker {
 public:
  void GetStatus(CallContext&, const GetStatusRequest&, GetStatusReply* reply,
                 Done done) override {
    reply->device_attributes.push_back(
        {.name = "/job:w/replica:0/task:0/device:CPU:0"});
    std::move(done)(OkStatus());
  }
};

struct Cluster {
  explicit Cluster(int port = 0) {
    network = std::make_shared<LoopbackNetwork>();
    services.master = &master;
    services.worker = &worker;
    if (port >= 0) Listen(port);
  }
  void Listen(int port) {
    auto made = network->Listen({.host = "127.0.0.1", .port = port}, services);
    MR_CHECK(made.ok(), made.status().ToString());
    listener = *std::move(made);
  }
  SessionOptions Options() {
    return {.target = absl::StrCat("grpc://", listener->address()),
            .transport = network};
  }
  std::shared_ptr<LoopbackNetwork> network;
  FakeMaster master;
  FakeWorker worker;
  Services services;
  std::unique_ptr<Listener> listener;
};

struct Model {
  Model() {
    x = ops::Placeholder(s.WithOpName("x"), DataType::kFloat);
    y = ops::Neg(s.WithOpName("y"), x);
    fail = ops::NoOp(s.WithOpName("fail"));
    wait = ops::NoOp(s.WithOpName("wait"));
  }
  Scope s = Scope::NewRoot();
  Output x, y;
  Operation fail, wait;
};

}  // namespace millrace
