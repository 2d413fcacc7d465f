// Sessions on clusters of servers that live in this process, in virtual time.
#include <gtest/gtest.h>

#include <algorithm>

#include "millrace/base/log.h"
#include "millrace/protocol/caller.h"
#include "tests/support/graph_text.h"
#include "tests/support/loopback_cluster.h"

namespace millrace {
namespace {

const TaskName kPs0{"ps", 0}, kPs1{"ps", 1}, kWorker0{"worker", 0},
    kWorker1{"worker", 1};
const std::map<std::string, int> kJobs = {{"ps", 2}, {"worker", 2}};

// Under several seeds, as each switches threads elsewhere.
void Simulate(std::function<void()> body) {
  TestOps();
  TestKernels();
  for (const uint64_t seed : {1, 2, 3}) {
    SimOptions options;
    options.seed = seed;
    // Endless loops meet their end.
    options.nanos_per_switch = 1'000;
    const SimResult result = SimWorld(options).Run(body);
    ASSERT_TRUE(result.status.ok()) << result.Report();
  }
}

int64_t Millis() { return NowNanos() / 1'000'000; }

bool IsRecoverable(const Status& status) {
  return status.code() == StatusCode::kUnavailable ||
         status.code() == StatusCode::kAborted;
}

bool Names(const Status& status, const TaskName& task) {
  return status.message().find(task.ToString()) != absl::string_view::npos;
}

GraphDef SharedVariable() {
  return GraphText()
      .Variable("v", "/job:ps/task:1")
      .Const("one", 1, "/job:worker/task:1")
      .Assign("init", "v", "one")
      .AssignAdd("update", "v", "one")
      .Take();
}

TEST(LoopbackClusterTest, AConstantOnEachTask) {
  Simulate([] {
    LoopbackCluster cluster(kJobs);
    cluster.StartAll();
    TestSession session(cluster, kWorker0);
    GraphText graph;
    for (const TaskName& task : cluster.tasks()) {
      graph.Const(absl::StrCat(task.job, task.index),
                  static_cast<float>(task.index), task.ToString());
    }
    ASSERT_TRUE(session.Create(graph.Take()).ok());
    for (const TaskName& task : cluster.tasks()) {
      EXPECT_EQ(*session.Fetch(absl::StrCat(task.job, task.index, ":0")),
                task.index);
    }
    EXPECT_TRUE(session.Close().ok());
  });
}

TEST(LoopbackClusterTest, FeedsFetchesAndEdgesCrossTasks) {
  Simulate([] {
    LoopbackCluster cluster(kJobs);
    cluster.StartAll();
    TestSession session(cluster, kWorker0);
    ASSERT_TRUE(session
                    .Create(GraphText()
                                .Placeholder("x", "/job:worker/task:0")
                                .Add("a", "x", "x", "/job:ps/task:0")
                                .Add("b", "a", "x", "/job:worker/task:1")
                                .Add("c", "b", "a", "/job:ps/task:1")
                                .Take())
                    .ok());
    for (int i = 0; i < 3; ++i) {
      const float x = static_cast<float>(i);
      auto values = session.Run({.feeds = {{"x:0", Tensor::Scalar(x)}},
                                 .fetches = {"c:0", "x:0", "a:0"},
                                 .targets = {"b"}});
      ASSERT_TRUE(values.ok()) << values.status();
      EXPECT_EQ((*values)[0].scalar<float>(), 5 * x);
      EXPECT_EQ((*values)[1].scalar<float>(), x);
      EXPECT_EQ((*values)[2].scalar<float>(), 2 * x);
    }
    // Not fed: the error names the op.
    const Status status = session.Fetch("c:0").status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_NE(status.message().find("{{node x}}"), absl::string_view::npos)
        << status;
  });
}

// What each task sends arrives at another one; what a task does for itself and
// what clients bring and take is no traffic between tasks.
TEST(LoopbackClusterTest, TrafficBetweenTasksIsCounted) {
  Simulate([] {
    LoopbackCluster cluster(kJobs);
    cluster.StartAll();
    const auto traffic = [&](const TaskName& task) {
      const auto caller = cluster.network()->Connect(cluster.Address(task));
      const auto admin = MakeAdminStub(caller.get());
      ServerStatusReply reply;
      EXPECT_TRUE(
          CallAndWait(*admin, &AdminApi::ServerStatus, {}, &reply).ok());
      return std::pair(reply.bytes_sent, reply.bytes_received);
    };
    TestSession session(cluster, kWorker0);
    ASSERT_TRUE(session
                    .Create(GraphText()
                                .Placeholder("x", "/job:worker/task:0")
                                .Add("a", "x", "x", "/job:ps/task:0")
                                .Add("b", "a", "a", "/job:worker/task:0")
                                .Add("c", "a", "a", "/job:ps/task:1")
                                .Take())
                    .ok());
    const Tensor x = Tensor::Zeros(DataType::kFloat, TensorShape({100}));
    // At home throughout.
    ASSERT_TRUE(session.Run({.feeds = {{"x:0", x}}, .fetches = {"x:0"}}).ok());
    EXPECT_EQ(traffic(kWorker0), std::pair(int64_t{0}, int64_t{0}));
    for (const int64_t step : {1, 2}) {
      ASSERT_TRUE(
          session.Run({.feeds = {{"x:0", x}}, .fetches = {"b:0", "c:0"}}).ok());
      const int64_t bytes = step * 400;
      // x to ps 0; a to worker 0 and to ps 1; c, fetched, to the master.
      EXPECT_EQ(traffic(kWorker0), std::pair(bytes, 2 * bytes));
      EXPECT_EQ(traffic(kPs0), std::pair(2 * bytes, bytes));
      EXPECT_EQ(traffic(kPs1), std::pair(bytes, bytes));
      EXPECT_EQ(traffic(kWorker1), std::pair(int64_t{0}, int64_t{0}));
    }
  });
}

TEST(LoopbackClusterTest, SessionsOfTwoMastersShareVariables) {
  Simulate([] {
    LoopbackCluster cluster(kJobs);
    cluster.StartAll();
    TestSession a(cluster, kWorker0), b(cluster, kWorker1);
    ASSERT_TRUE(a.Create(SharedVariable()).ok());
    ASSERT_TRUE(b.Create(SharedVariable()).ok());
    const Status early = b.Fetch("v:0").status();
    EXPECT_EQ(early.code(), StatusCode::kFailedPrecondition);
    EXPECT_TRUE(Names(early, kPs1)) << early;
    ASSERT_TRUE(a.Target("init").ok());
    EXPECT_EQ(*b.Fetch("update:0"), 2);
    EXPECT_EQ(*a.Fetch("update:0"), 3);
    ASSERT_TRUE(a.Close().ok());
    EXPECT_EQ(*b.Fetch("v:0"), 3);
    // Gone after a reset, which also ends sessions of the master that it went
    // through.
    ASSERT_TRUE(b.Reset({}).ok());
    EXPECT_EQ(b.Fetch("v:0").status().code(), StatusCode::kAborted);
    TestSession c(cluster, kWorker1);
    ASSERT_TRUE(c.Create(SharedVariable()).ok());
    EXPECT_EQ(c.Fetch("v:0").status().code(), StatusCode::kFailedPrecondition);
  });
}

TEST(LoopbackClusterTest, IsolatedSessionsShareNothing) {
  Simulate([] {
    LoopbackCluster cluster(kJobs);
    cluster.StartAll();
    ConfigOptions config;
    config.isolate_session_state = true;
    TestSession a(cluster, kWorker0), b(cluster, kWorker0);
    ASSERT_TRUE(a.Create(SharedVariable(), config).ok());
    ASSERT_TRUE(b.Create(SharedVariable(), config).ok());
    ASSERT_TRUE(a.Target("init").ok());
    EXPECT_EQ(*a.Fetch("v:0"), 1);
    EXPECT_EQ(b.Fetch("v:0").status().code(), StatusCode::kFailedPrecondition);
  });
}

TEST(LoopbackClusterTest, TheGraphGrows) {
  Simulate([] {
    LoopbackCluster cluster(kJobs);
    cluster.Start(kPs0);
    cluster.Start(kWorker0);
    TestSession session(cluster, kWorker0);
    ASSERT_TRUE(session.Create(GraphText().Const("a", 1).Take()).ok());
    EXPECT_EQ(*session.Fetch("a:0"), 1);
    ASSERT_TRUE(
        session.Extend(GraphText().Add("b", "a", "a", "/job:ps/task:0").Take())
            .ok());
    EXPECT_EQ(*session.Fetch("b:0"), 2);
    // A task that comes up while an extension waits for it.
    Thread late("late", [&] {
      SleepUntil(Deadline::AfterMillis(3'000));
      cluster.Start(kPs1);
    });
    const int64_t start = Millis();
    ASSERT_TRUE(
        session.Extend(GraphText().Add("c", "b", "b", "/job:ps/task:1").Take())
            .ok());
    EXPECT_GE(Millis() - start, 2'900);
    EXPECT_LT(Millis() - start, 6'000);
    EXPECT_EQ(*session.Fetch("c:0"), 4);
    late.Join();
  });
}

TEST(LoopbackClusterTest, AnAbsentTaskIsWaitedForOnlyIfTheGraphNamesIt) {
  Simulate([] {
    LoopbackCluster cluster(kJobs);
    cluster.Start(kPs0);
    cluster.Start(kWorker0);
    TestSession session(cluster, kWorker0);
    const int64_t start = Millis();
    ASSERT_TRUE(
        session.Create(GraphText().Const("a", 1, "/job:ps/task:0").Take())
            .ok());
    EXPECT_LT(Millis() - start, 100);
    TestSession waits(cluster, kWorker0);
    const Status status =
        waits.Create(GraphText().Const("a", 1, "/job:ps/task:1").Take(), {},
                     Deadline::AfterMillis(4'000));
    EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded) << status;
    EXPECT_TRUE(Names(status, kPs1)) << status;
    EXPECT_NE(status.message().find(cluster.Address(kPs1)),
              absl::string_view::npos);
    const auto devices = session.ListDevices();
    EXPECT_EQ(devices->local_devices.size(), 2u);
  });
}

// What a step that cannot end does when `event` happens.
Status Interrupted(TestSession& session, const TaskName& where,
                   std::function<void()> event, int64_t* took_ms,
                   RunOptions options = {}, CancelScope* cancel = nullptr) {
  const Status made = session.Create(GraphText()
                                         .Const("ok", 1, where.ToString())
                                         .EndlessLoop("loop", where.ToString())
                                         .Take());
  EXPECT_TRUE(made.ok()) << made;
  int64_t at = 0;
  Thread other("event", [&] {
    SleepUntil(Deadline::AfterMillis(200));
    at = Millis();
    if (event) event();
  });
  const Status status = session
                            .Run({.feeds = {},
                                  .fetches = {"loop/exit:0"},
                                  .targets = {},
                                  .options = std::move(options),
                                  .cancel = cancel})
                            .status();
  const int64_t end = Millis();
  other.Join();
  *took_ms = end - at;
  return status;
}

TEST(LoopbackClusterTest, AKilledTaskEndsTheStep) {
  Simulate([] {
    LoopbackCluster cluster(kJobs);
    cluster.StartAll();
    TestSession session(cluster, kWorker0);
    int64_t took_ms = 0;
    const Status status = Interrupted(
        session, kPs0, [&] { cluster.Kill(kPs0); }, &took_ms);
    EXPECT_TRUE(IsRecoverable(status)) << status;
    EXPECT_TRUE(Names(status, kPs0)) << status;
    EXPECT_LT(took_ms, 1'000);
    EXPECT_TRUE(IsRecoverable(session.Fetch("ok:0").status()));
    // A restarted task is not taken for the old one.
    cluster.Start(kPs0);
    const Status restarted = session.Fetch("ok:0").status();
    EXPECT_TRUE(IsRecoverable(restarted)) << restarted;
    EXPECT_TRUE(session.Close().ok());
    TestSession again(cluster, kWorker0);
    ASSERT_TRUE(
        again.Create(GraphText().Const("ok", 1, "/job:ps/task:0").Take()).ok());
    EXPECT_EQ(*again.Fetch("ok:0"), 1);
  });
}

TEST(LoopbackClusterTest, AFrozenTaskEndsTheStepWithinFiveSeconds) {
  Simulate([] {
    LoopbackCluster cluster(kJobs);
    cluster.StartAll();
    TestSession session(cluster, kWorker0);
    int64_t took_ms = 0;
    const SimProcess ps = cluster.process(kPs0);
    const Status status = Interrupted(
        session, kPs0, [&] { SimWorld::Current()->Freeze(ps); }, &took_ms);
    EXPECT_TRUE(IsRecoverable(status)) << status;
    EXPECT_TRUE(Names(status, kPs0)) << status;
    EXPECT_LE(took_ms, 5'000);
    SimWorld::Current()->Thaw(ps);
  });
}

// The step is still being prepared: its part is to be registered there.
TEST(LoopbackClusterTest, AFrozenTaskEndsAFirstStepWithinFiveSeconds) {
  Simulate([] {
    LoopbackCluster cluster(kJobs);
    cluster.StartAll();
    TestSession session(cluster, kWorker0);
    ASSERT_TRUE(
        session.Create(GraphText().Const("ok", 1, "/job:ps/task:0").Take())
            .ok());
    const SimProcess ps = cluster.process(kPs0);
    SimWorld::Current()->Freeze(ps);
    const int64_t start = Millis();
    const Status status = session.Fetch("ok:0").status();
    EXPECT_TRUE(IsRecoverable(status)) << status;
    EXPECT_TRUE(Names(status, kPs0)) << status;
    EXPECT_LE(Millis() - start, 5'000);
    SimWorld::Current()->Thaw(ps);
    EXPECT_EQ(*session.Fetch("ok:0"), 1);
  });
}

TEST(LoopbackClusterTest, AKilledMasterBreaksTheCall) {
  Simulate([] {
    LoopbackCluster cluster(kJobs);
    cluster.StartAll();
    TestSession session(cluster, kWorker0);
    int64_t took_ms = 0;
    const Status status = Interrupted(
        session, kPs0, [&] { cluster.Kill(kWorker0); }, &took_ms);
    EXPECT_EQ(status.code(), StatusCode::kUnavailable) << status;
    cluster.Start(kWorker0);
    const Status unknown = session.Fetch("ok:0").status();
    EXPECT_EQ(unknown.code(), StatusCode::kAborted) << unknown;
  });
}

TEST(LoopbackClusterTest, AStoppedMasterAnswersAborted) {
  Simulate([] {
    LoopbackCluster cluster(kJobs);
    cluster.StartAll();
    TestSession session(cluster, kWorker0);
    int64_t took_ms = 0;
    const Status status = Interrupted(
        session, kPs0, [&] { cluster.Stop(kWorker0); }, &took_ms);
    EXPECT_EQ(status.code(), StatusCode::kAborted) << status;
    EXPECT_TRUE(Names(status, kWorker0)) << status;
    EXPECT_LE(took_ms, 2'000);
  });
}

TEST(LoopbackClusterTest, AStoppedWorkerAbortsTheStep) {
  Simulate([] {
    LoopbackCluster cluster(kJobs);
    cluster.StartAll();
    TestSession session(cluster, kWorker0);
    int64_t took_ms = 0;
    const Status status = Interrupted(
        session, kPs0, [&] { cluster.Stop(kPs0); }, &took_ms);
    EXPECT_TRUE(IsRecoverable(status)) << status;
    EXPECT_TRUE(Names(status, kPs0)) << status;
    EXPECT_LE(took_ms, 2'000);
  });
}

TEST(LoopbackClusterTest, ATimeoutEndsTheStepAndNotTheSession) {
  Simulate([] {
    LoopbackCluster cluster(kJobs);
    cluster.StartAll();
    TestSession session(cluster, kWorker0);
    int64_t took_ms = 0;
    RunOptions options;
    options.timeout_ms = 20;
    const Status status = Interrupted(session, kPs0, {}, &took_ms, options);
    EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded) << status;
    EXPECT_EQ(*session.Fetch("ok:0"), 1);
  });
}

TEST(LoopbackClusterTest, TheClientsCancelEndsTheStep) {
  Simulate([] {
    LoopbackCluster cluster(kJobs);
    cluster.StartAll();
    TestSession session(cluster, kWorker0);
    int64_t took_ms = 0;
    CancelScope cancel;
    const Status status = Interrupted(
        session, kPs0, [&] { cancel.Cancel(Cancelled("enough")); }, &took_ms,
        {}, &cancel);
    EXPECT_EQ(status.code(), StatusCode::kCancelled) << status;
    EXPECT_EQ(*session.Fetch("ok:0"), 1);
  });
}

TEST(LoopbackClusterTest, CloseEndsTheStepAndLeavesNothing) {
  Simulate([] {
    LoopbackCluster cluster(kJobs);
    cluster.StartAll();
    TestSession session(cluster, kWorker0);
    int64_t took_ms = 0;
    const Status status = Interrupted(
        session, kPs0, [&] { EXPECT_TRUE(session.Close().ok()); }, &took_ms);
    EXPECT_EQ(status.code(), StatusCode::kCancelled) << status;
    EXPECT_EQ(session.Fetch("ok:0").status().code(), StatusCode::kAborted);
    // The clean-up of the step may still be on its way.
    SleepUntil(Deadline::AfterMillis(1'000));
    for (const TaskName& task : {kPs0, kWorker0}) {
      const std::shared_ptr<Caller> caller =
          cluster.network()->Connect(cluster.Address(task));
      const std::unique_ptr<AdminApi> admin = MakeAdminStub(caller.get());
      ServerStatusReply reply;
      ASSERT_TRUE(CallAndWait(*admin, &AdminApi::ServerStatus,
                              ServerStatusRequest{}, &reply)
                      .ok());
      EXPECT_EQ(reply.task, task.ToString());
      EXPECT_EQ(reply.master_sessions, 0);
      EXPECT_EQ(reply.worker_sessions, 0);
      EXPECT_EQ(reply.running_steps, 0);
      EXPECT_EQ(reply.rendezvous_entries, 0);
    }
  });
}

TEST(LoopbackClusterTest, AdminStopsAServer) {
  Simulate([] {
    LoopbackCluster cluster({{"worker", 1}});
    cluster.StartAll();
    const std::shared_ptr<Caller> caller =
        cluster.network()->Connect(cluster.Address(kWorker0));
    const std::unique_ptr<AdminApi> admin = MakeAdminStub(caller.get());
    StopReply reply;
    EXPECT_TRUE(
        CallAndWait(*admin, &AdminApi::Stop, StopRequest{500, "test"}, &reply)
            .ok());
    cluster.server(kWorker0).Join();
    ServerStatusReply status;
    EXPECT_EQ(CallAndWait(*admin, &AdminApi::ServerStatus,
                          ServerStatusRequest{}, &status)
                  .code(),
              StatusCode::kUnavailable);
  });
}

TEST(LoopbackClusterTest, AServerMayLearnItsClusterLate) {
  Simulate([] {
    const auto network = std::make_shared<LoopbackNetwork>();
    ServerOptions options;
    options.task = kWorker0;
    options.cluster_later = true;
    options.port = 0;
    options.transport = network;
    options.ops = &TestOps();
    options.kernels = &TestKernels();
    auto server = Server::Start(options);
    ASSERT_TRUE(server.ok()) << server.status();
    const std::string address = (*server)->target().substr(7);
    const std::shared_ptr<Caller> caller = network->Connect(address);
    const std::unique_ptr<MasterApi> master = MakeMasterStub(caller.get());
    CreateSessionReply reply;
    EXPECT_EQ(CallAndWait(*master, &MasterApi::CreateSession,
                          CreateSessionRequest{}, &reply)
                  .code(),
              StatusCode::kAborted);
    EXPECT_FALSE(
        (*server)->SetCluster(*ClusterSpec::Parse("ps=127.0.0.1:1")).ok());
    EXPECT_TRUE(
        (*server)
            ->SetCluster(*ClusterSpec::Parse(absl::StrCat("worker=", address)))
            .ok());
    EXPECT_TRUE(CallAndWait(*master, &MasterApi::CreateSession,
                            CreateSessionRequest{}, &reply)
                    .ok());
  });
}

TEST(LoopbackClusterTest, ListensOnLoopbackUnlessTold) {
  ServerOptions options;
  options.cluster = *ClusterSpec::Parse("worker=example.com:2222");
  options.task = kWorker0;
  options.transport = std::make_shared<LoopbackNetwork>();
  options.ops = &TestOps();
  options.kernels = &TestKernels();
  EXPECT_EQ(Server::Start(options).status().code(),
            StatusCode::kFailedPrecondition);
  options.insecure = true;
  EXPECT_TRUE(Server::Start(options).ok());
  options.task = {"worker", 1};
  EXPECT_EQ(Server::Start(options).status().code(), StatusCode::kNotFound);
}

TEST(LoopbackClusterTest, RunMetadataJoinsAllTasks) {
  Simulate([] {
    LoopbackCluster cluster(kJobs);
    cluster.StartAll();
    TestSession session(cluster, kWorker0);
    ASSERT_TRUE(session
                    .Create(GraphText()
                                .Placeholder("x", "/job:ps/task:0")
                                .Add("y", "x", "x", "/job:worker/task:1")
                                .Take())
                    .ok());
    RunOptions options;
    options.trace_level = TraceLevel::kFull;
    options.output_partition_graphs = true;
    RunMetadata metadata;
    ASSERT_TRUE(session
                    .Run({.feeds = {{"x:0", Tensor::Scalar(1.0f)}},
                          .fetches = {"y:0"},
                          .targets = {},
                          .options = options,
                          .cancel = nullptr,
                          .metadata = &metadata})
                    .ok());
    ASSERT_EQ(metadata.step_stats.dev_stats.size(), 1u);
    EXPECT_EQ(metadata.step_stats.dev_stats[0].device,
              "/job:worker/replica:0/task:1/device:CPU:0");
    EXPECT_EQ(metadata.partition_graphs.size(), 1u);
  });
}

TEST(LoopbackClusterTest, ManyClientsAtOnce) {
  Simulate([] {
    LoopbackCluster cluster(kJobs);
    cluster.StartAll();
    TestSession first(cluster, kWorker0);
    ASSERT_TRUE(first.Create(SharedVariable()).ok());
    ASSERT_TRUE(first.Target("init").ok());
    std::vector<Thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back("client", [&, i] {
        TestSession session(cluster, i % 2 ? kWorker0 : kWorker1);
        ASSERT_TRUE(session.Create(SharedVariable()).ok());
        for (int j = 0; j < 5; ++j) {
          ASSERT_TRUE(session.Target("update").ok());
        }
        ASSERT_TRUE(session.Close().ok());
      });
    }
    for (Thread& thread : threads) thread.Join();
    EXPECT_EQ(*first.Fetch("v:0"), 21);
  });
}

}  // namespace
}  // namespace millrace
