// Tests a Session against a master that records its calls, over the loopback
// transport, also in a simulation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "millrace/base/sim/sim.h"
#include "millrace/client/testing/remote_suite.h"

namespace millrace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

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
                  "run 1 y:0  0", "extend 1 at 0", "run 0 y:0  0",
                  "extend 1 at 1", "run 0 y:0  0", "close"));
}

TEST(RemoteSession, AnUnusedSessionSendsNothing) {
  Cluster cluster;
  Model m;
  { Session session(m.s, cluster.Options()); }
  EXPECT_THAT(cluster.master.TakeLog(), ElementsAre());
}

TEST(RemoteSession, APartialRunMayBeItsFirstCall) {
  Cluster cluster;
  Model m;
  Session session(m.s, cluster.Options());
  EXPECT_TRUE(session.RunPartially("none", {{m.x, 2}}, {m.y}).ok());
  EXPECT_THAT(
      cluster.master.TakeLog(),
      ElementsAre(absl::StrCat("create 4 grpc://", cluster.listener->address()),
                  "run 1 y:0  0"));
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
  for (const char* target : {"grpc://x", "grpc://x:", "grpc://x:http",
                             "grpc://a/b:1", "grpc://:-1"}) {
    const Status status = Session(m.s, {.target = target}).Run({m.y}).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << target << ": " << status;
    EXPECT_THAT(status.message(), HasSubstr("as a host-port pair")) << target;
  }
}

// In virtual time: a server that comes up late, one that never does, and one
// that becomes silent.
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
      SleepUntil(Deadline::AfterMillis(10));  // it answers GetStatus
      // Also just after it has answered a probe.
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
