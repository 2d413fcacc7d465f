// What sessions on a cluster share, see and wait for.
#include <gtest/gtest.h>

#include "millrace/client/ops.h"
#include "millrace/client/session.h"
#include "millrace/rpc/fault/fault_network.h"
#include "tests/cluster/simulated_cluster.h"
#include "tests/support/graph_text.h"

namespace millrace {
namespace {

GraphDef SharedVariable() {
  return GraphText()
      .Variable("v", "/job:ps/task:1")
      .Const("one", 1, "/job:worker/task:1")
      .Assign("init", "v", "one")
      .AssignAdd("update", "v", "one")
      .Take();
}

TEST(ClusterSessions, AConstantOnEachTask) {
  OnCluster([](LoopbackCluster& cluster, TestSession& session) {
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

TEST(ClusterSessions, FeedsFetchesAndEdgesCrossTasks) {
  OnCluster([](LoopbackCluster&, TestSession& session) {
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
                                 .fetches = {"c:0", "a:0"},
                                 .targets = {"b"}});
      ASSERT_TRUE(values.ok()) << values.status();
      EXPECT_EQ((*values)[0].scalar<float>(), 5 * x);
      EXPECT_EQ((*values)[1].scalar<float>(), 2 * x);
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
TEST(ClusterSessions, TrafficBetweenTasksIsCounted) {
  OnCluster([](LoopbackCluster& cluster, TestSession& session) {
    const auto traffic = [&](const TaskName& task) {
      const ServerStatusReply reply = StatusOf(cluster, task);
      return std::pair(reply.bytes_sent, reply.bytes_received);
    };
    ASSERT_TRUE(session
                    .Create(GraphText()
                                .Placeholder("x", "/job:worker/task:0")
                                .Add("a", "x", "x", "/job:ps/task:0")
                                .Add("b", "a", "a", "/job:worker/task:0")
                                .Add("c", "a", "a", "/job:ps/task:1")
                                .Add("home", "x", "x", "/job:worker/task:0")
                                .Take())
                    .ok());
    const Tensor x = Tensor::Zeros(DataType::kFloat, TensorShape({100}));
    // At home throughout.
    ASSERT_TRUE(
        session.Run({.feeds = {{"x:0", x}}, .fetches = {"home:0"}}).ok());
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

TEST(ClusterSessions, SessionsOfTwoMastersShareVariables) {
  OnCluster([](LoopbackCluster& cluster, TestSession& a) {
    TestSession b(cluster, kWorker1);
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

TEST(ClusterSessions, IsolatedSessionsShareNothing) {
  OnCluster([](LoopbackCluster& cluster, TestSession& a) {
    TestSession b(cluster, kWorker0);
    ConfigOptions config;
    config.isolate_session_state = true;
    ASSERT_TRUE(a.Create(SharedVariable(), config).ok());
    ASSERT_TRUE(b.Create(SharedVariable(), config).ok());
    ASSERT_TRUE(a.Target("init").ok());
    EXPECT_EQ(*a.Fetch("v:0"), 1);
    EXPECT_EQ(b.Fetch("v:0").status().code(), StatusCode::kFailedPrecondition);
  });
}

TEST(ClusterSessions, TheGraphGrows) {
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

TEST(ClusterSessions, AnswersToExtensionsGetLost) {
  OnCluster([](LoopbackCluster& cluster, TestSession&) {
    FaultNetwork faults(cluster.network(), {});
    const Scope s = Scope::NewRoot();
    Session session(
        s, {.target = absl::StrCat("grpc://", cluster.Address(kWorker0)),
            .transport = faults.Endpoint("client")});
    const Output one = ops::Const(s, 1.0f);
    ASSERT_TRUE(session.Run({one}).ok());
    faults.set_options({.reply_lost = 1'000'000,
                        .max_loss_nanos = 1'000'000,
                        .methods = {MethodId::kExtendSession}});
    const Output two = ops::Add(s, one, one);
    EXPECT_EQ(session.Run({two}).status().code(), StatusCode::kUnavailable);
    faults.set_options({});
    const Output four = ops::Add(s, two, two);
    const auto values = session.Run({two, four});
    ASSERT_TRUE(values.ok()) << values.status();
    EXPECT_EQ((*values)[0].scalar<float>(), 2);
    EXPECT_EQ((*values)[1].scalar<float>(), 4);
  });
}

TEST(ClusterSessions, AnAbsentTaskIsWaitedForOnlyIfTheGraphNamesIt) {
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

TEST(ClusterSessions, RunMetadataJoinsAllTasks) {
  OnCluster([](LoopbackCluster&, TestSession& session) {
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
    // The feed, which comes there, and the fetch, which comes to the master;
    // and the nodes.
    const std::vector<DeviceStepStats>& stats = metadata.step_stats.dev_stats;
    const std::string device = "/job:worker/replica:0/task:1/device:CPU:0";
    const std::string master = "/job:worker/replica:0/task:0/device:CPU:0";
    ASSERT_EQ(stats.size(), 3u);
    EXPECT_EQ(stats[0].device, device);
    ASSERT_EQ(stats[0].node_stats.size(), 1u);
    EXPECT_EQ(stats[0].node_stats[0].timeline_label,
              absl::StrCat("[4B] _recv_x_0 from ", master, " to ", device));
    EXPECT_EQ(stats[1].device, master);
    ASSERT_EQ(stats[1].node_stats.size(), 1u);
    EXPECT_EQ(stats[1].node_stats[0].timeline_label,
              absl::StrCat("[4B] _send_y_0 from ", device, " to ", master));
    EXPECT_EQ(stats[2].device, device);
    EXPECT_EQ(stats[2].node_stats.at(0).timeline_label, "_SOURCE = NoOp()");
    EXPECT_EQ(stats[2].node_stats.back().node_name, "y");
    EXPECT_EQ(metadata.partition_graphs.size(), 1u);
  });
}

// As stock's masters: at the receiving device, under one name.
TEST(ClusterSessions, RunMetadataHasANodeForEachTransfer) {
  OnCluster([](LoopbackCluster&, TestSession& session) {
    ASSERT_TRUE(session
                    .Create(GraphText()
                                .Placeholder("x", "/job:ps/task:0")
                                .Add("y", "x", "x", "/job:ps/task:0")
                                .Add("z", "y", "y", "/job:worker/task:1")
                                .Take())
                    .ok());
    RunOptions options;
    options.trace_level = TraceLevel::kFull;
    RunMetadata metadata;
    const Tensor x = Tensor::Zeros(DataType::kFloat, TensorShape({100}));
    ASSERT_TRUE(session
                    .Run({.feeds = {{"x:0", x}},
                          .fetches = {"z:0"},
                          .targets = {},
                          .options = options,
                          .cancel = nullptr,
                          .metadata = &metadata})
                    .ok());
    std::vector<NodeExecStats> transfers;
    for (const DeviceStepStats& device : metadata.step_stats.dev_stats) {
      for (const NodeExecStats& node : device.node_stats) {
        if (node.node_name != "RecvTensor") continue;
        // Those of feeds and fetches are named by what is fed and fetched.
        if (node.timeline_label.find("] _") != std::string::npos) continue;
        EXPECT_EQ(device.device, "/job:worker/replica:0/task:1/device:CPU:0");
        transfers.push_back(node);
      }
    }
    ASSERT_EQ(transfers.size(), 1u);
    const NodeExecStats& transfer = transfers[0];
    ASSERT_EQ(transfer.output.size(), 1u);
    EXPECT_EQ(transfer.output[0]
                  .tensor_description.allocation_description.requested_bytes,
              400);
    const std::string& label = transfer.timeline_label;
    EXPECT_EQ(label.find("[400B] "), 0u) << label;
    EXPECT_NE(label.find(" from /job:ps/replica:0/task:0/device:CPU:0 to "
                         "/job:worker/replica:0/task:1/device:CPU:0"),
              std::string::npos)
        << label;
    EXPECT_GE(transfer.all_end_rel_nanos, 0);
  });
}

TEST(ClusterSessions, ManyClientsAtOnce) {
  OnCluster([](LoopbackCluster& cluster, TestSession& first) {
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
