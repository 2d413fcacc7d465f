// A Session against a master that records what it is asked, over the loopback
// transport, also in a simulation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_join.h"
#include "millrace/base/lanes.h"
#include "millrace/base/sim.h"
#include "millrace/base/thread.h"
#include "millrace/client/ops.h"
#include "millrace/client/session.h"
#include "millrace/client/variables.h"
#include "millrace/protocol/unimplemented_api.h"
#include "millrace/rpc/loopback/loopback.h"

namespace millrace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

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
  // Waits for ever if it is fed with a number below 0.
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
  // Until a call waits for its cancel.
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

// A worker that only says who it is.
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

TEST(RemoteSession, CallsInOrder) {
  Cluster cluster;
  Model m;
  {
    Session session(m.s, cluster.Options());
    EXPECT_THAT(cluster.master.TakeLog(), ElementsAre());
    auto out = session.Run({{m.x, 2}}, {m.y, m.x, m.y});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ(out->size(), 3u);
    EXPECT_EQ((*out)[2].scalar<float>(), 2);
    ops::Neg(m.s, m.y);
    EXPECT_TRUE(session.Run({m.y}).ok());
    ops::Neg(m.s, m.y);
    EXPECT_TRUE(session.Run({m.y}).ok());
  }
  EXPECT_THAT(
      cluster.master.TakeLog(),
      ElementsAre(absl::StrCat("create 4 grpc://", cluster.listener->address()),
                  "run 1 y:0,x:0  0", "extend 1 at 0", "run 0 y:0  0",
                  "extend 1 at 1", "run 0 y:0  0", "close"));
}

TEST(RemoteSession, AnUnusedSessionSendsNothing) {
  Cluster cluster;
  Model m;
  { Session session(m.s, cluster.Options()); }
  EXPECT_THAT(cluster.master.TakeLog(), ElementsAre());
}

TEST(RemoteSession, ErrorsOfAStep) {
  Cluster cluster;
  Model m;
  Session session(m.s, cluster.Options());
  const Status status = session.RunTargets({m.fail});
  EXPECT_EQ(status.code(), StatusCode::kAborted);
  EXPECT_EQ(FailedNode(status), "fail");
}

TEST(RemoteSession, CallablesDevicesReset) {
  Cluster cluster;
  Model m;
  Session session(m.s, cluster.Options());
  {
    auto callable = session.Prepare({m.x}, {m.y});
    ASSERT_TRUE(callable.ok()) << callable.status();
    auto out = callable->Run({Tensor::Scalar(4.0f)});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ((*out)[0].scalar<float>(), 4);
  }
  auto devices = session.ListDevices();
  ASSERT_TRUE(devices.ok()) << devices.status();
  EXPECT_EQ(devices->size(), 2u);
  EXPECT_TRUE(Session::Reset(cluster.Options(), {"a", "b"}).ok());
  EXPECT_THAT(
      cluster.master.TakeLog(),
      testing::IsSupersetOf({"make x:0 y:0", "release 5", "reset a,b"}));
}

TEST(RemoteSession, TimeLimits) {
  Cluster cluster;
  Model m;
  SessionOptions options = cluster.Options();
  options.config.operation_timeout_ms = 60'000;
  Session session(m.s, options);
  ASSERT_TRUE(session.Run({m.y}).ok());
  EXPECT_THAT(cluster.master.TakeLog().back(), "run 0 y:0  60000");
  const Status status =
      session.RunTargets({m.wait}, {.options = {.timeout_ms = 5}});
  EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded) << status;
  EXPECT_TRUE(session.Run({m.y}).ok());
}

TEST(RemoteSession, OptionsOfACallablesRun) {
  Cluster cluster;
  Model m;
  Session session(m.s, cluster.Options());
  const auto callable =
      session.Prepare({m.x}, {m.y}, {}, {.timeout_ms = 20'000});
  ASSERT_TRUE(callable.ok()) << callable.status();
  const int64_t begin = NowNanos();
  const auto late =
      callable->Run({Tensor::Scalar(-1.0f)}, {.options = {.timeout_ms = 5}});
  EXPECT_EQ(late.status().code(), StatusCode::kDeadlineExceeded)
      << late.status();
  EXPECT_LT(NowNanos() - begin, 10'000'000'000);
  const auto traced = callable->Run(
      {Tensor::Scalar(1.0f)}, {.options = {.trace_level = TraceLevel::kFull}});
  EXPECT_EQ(traced.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(traced.status().message(), HasSubstr("timeout_ms only"));
  EXPECT_TRUE(callable->Run({Tensor::Scalar(1.0f)}).ok());
}

TEST(RemoteSession, CloseAndCancelEndARun) {
  Cluster cluster;
  Model m;
  Session session(m.s, cluster.Options());
  {
    CancelScope cancel;
    Thread canceller("canceller", [&] {
      cluster.master.AwaitWaiter();
      cancel.Cancel(Cancelled("enough"));
    });
    const Status status = session.RunTargets({m.wait}, {.cancel = &cancel});
    EXPECT_EQ(status.code(), StatusCode::kCancelled) << status;
    canceller.Join();
  }
  Thread closer("closer", [&] {
    cluster.master.AwaitWaiter();
    EXPECT_TRUE(session.Close().ok());
  });
  const Status status = session.RunTargets({m.wait});
  EXPECT_TRUE(absl::IsCancelled(status) || absl::IsFailedPrecondition(status))
      << status;
  closer.Join();
}

TEST(RemoteSession, Targets) {
  Model m;
  EXPECT_THAT(
      Session(m.s, {.target = "http://x"}).Run({m.y}).status().message(),
      HasSubstr("grpc://host:port"));
}

// In virtual time: a server that comes up late, one that never does, and one
// that falls silent.
TEST(RemoteSession, Simulated) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    SimWorld world({.seed = seed});
    const SimResult result = world.Run([&] {
      Model m;
      Cluster cluster(-1);
      const SessionOptions options = {.target = "grpc://127.0.0.1:2222",
                                      .transport = cluster.network};
      {
        SessionOptions impatient = options;
        impatient.config.operation_timeout_ms = 700;
        const Status status = Session(m.s, impatient).Run({m.y}).status();
        EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded) << status;
        impatient = options;
        impatient.connect_timeout_ms = 700;
        EXPECT_EQ(Session(m.s, impatient).Run({m.y}).status().code(),
                  StatusCode::kUnavailable);
      }
      Session session(m.s, options);
      const SimProcess server = SimWorld::Current()->AddProcess("server");
      Thread starter("starter", [&] {
        SleepUntil(Deadline::AfterMillis(5'000));
        SimProcessScope there(server);
        cluster.Listen(2222);
      });
      EXPECT_TRUE(session.Run({m.y}).ok());
      starter.Join();
      SleepUntil(Deadline::AfterMillis(10));  // it says who it is
      // Also just after it has answered a question.
      for (const int64_t lead_ms : {0, 1'010, 1'500}) {
        Thread freezer("freezer", [&] {
          SleepUntil(Deadline::AfterMillis(lead_ms));
          SimWorld::Current()->Freeze(server);
        });
        const int64_t begin = NowNanos();
        const Status silent = session.RunTargets({m.wait});
        EXPECT_EQ(silent.code(), StatusCode::kUnavailable) << silent;
        EXPECT_THAT(silent.message(),
                    HasSubstr("task /job:w/replica:0/task:0 (127.0.0.1:2222): "
                              "it has not answered 3 times in a row"));
        EXPECT_LE(NowNanos() - begin, (lead_ms + 4'010) * 1'000'000);
        freezer.Join();
        SimWorld::Current()->Thaw(server);
      }
      SimWorld::Current()->Freeze(server);
      EXPECT_EQ(session.Run({m.y}).status().code(), StatusCode::kUnavailable);
      SimWorld::Current()->Thaw(server);
      EXPECT_TRUE(session.Run({m.y}).ok());
    });
    EXPECT_TRUE(result.status.ok()) << result.Report();
  }
}

}  // namespace
}  // namespace millrace
